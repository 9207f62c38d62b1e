"""How a name of a library is spelled at a place, with the import that this may need."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit
from flake8_tensorbranch.engine.repairs.text import Text, inserting
from flake8_tensorbranch.syntax.names import Binding, FunctionInfo, ModuleIndex


def spelled(index: ModuleIndex, scope: FunctionInfo | None, module: str, name: str) -> tuple[str, Edit | None] | None:
    """What to write for `name` of `module` in a function, and the import to add where none is there yet.

    None where the name for it means something else there. `module` has no dots.
    """
    for bound, bindings in index.bindings.items():
        meant = {binding.imported if _is_plain(binding) else None for binding in bindings}
        if _hidden(scope, bound):
            continue
        if meant == {(module, name)}:
            return bound, None
        if meant == {(module, None)}:
            return f"{bound}.{name}", None
    if module in index.bindings or _hidden(scope, module) or index.star_imports:
        return None
    place = _place(index)
    return None if place is None else (f"{module}.{name}", inserting((place, 0), f"import {module}\n"))


def _is_plain(binding: Binding) -> bool:
    """Whether a binding is an absolute import that always runs."""
    is_import = isinstance(binding.statement, (nodes.Import, nodes.ImportFrom))
    return is_import and not binding.level and isinstance(binding.statement.parent, nodes.Module)


def _hidden(scope: FunctionInfo | None, name: str) -> bool:
    """Whether a function around the place binds the name itself."""
    up = scope
    while up is not None:
        if name in up.local_names:
            return True
        up = up.parent
    return False


def _place(index: ModuleIndex) -> int | None:
    """The line before which an import may stand: that of the first import of the module, else of what follows the head.

    None where no such line begins a statement.
    """
    body = index.tree.body
    first = next((s for s in body if isinstance(s, (nodes.Import, nodes.ImportFrom)) and not _is_future(s)), None)
    if first is None:
        first = next((s for s in body if not _is_future(s)), None)
    if first is None:
        return None
    line = first.lineno or 1
    decorators = getattr(first, "decorators", None)
    if decorators is not None:
        line = decorators.lineno or line
    text = Text.of(index)
    before = text.before((line, 0 if decorators is not None else first.col_offset or 0))
    continued = line > 1 and text.line(line - 1).endswith("\\")
    return None if before.strip() or continued else line


def _is_future(statement: nodes.NodeNG) -> bool:
    return isinstance(statement, nodes.ImportFrom) and statement.modname == "__future__"
