"""Arrays and tables of other libraries, by spelling alone: what `.tolist()` or `.max()` reads no tensor of."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.knowledge.evidence import ARRAY_LIBRARIES
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

_COLUMNS: Final = frozenset({"columns", "index", "values", "iloc", "loc"})
"""Attributes that tables have and tensors have not, but for `values`, a method of sparse ones."""


def is_foreign(index: ModuleIndex, scope: FunctionInfo | None, node: nodes.NodeNG, depth: int = 3) -> bool:
    """Whether an expression begins with what another library of arrays gives, in a function or at the module's level:
    by an import, an annotation, the assignments of a local; whether it picks a column by attribute.
    """
    root: Any = node
    while not isinstance(root, nodes.Name):
        if isinstance(root, nodes.Call):
            root = root.func
        elif isinstance(root, nodes.Attribute):
            if root.attrname in _COLUMNS and not isinstance(root.parent, nodes.Call):
                return True
            root = root.expr
        elif isinstance(root, nodes.Subscript):
            root = root.value
        else:
            return False
    if scope is None or root.name not in scope.local_names:
        return _is_imported(index, root.name)
    for param in scope.params:
        if param.name == root.name:
            written = param.annotation
            return isinstance(written, (nodes.Name, nodes.Attribute)) and is_foreign(index, None, written)
    sources = [getattr(bound.parent, "value", None) for bound in scope.local_names[root.name]]
    return depth > 0 and all(s is not None and is_foreign(index, scope, s, depth - 1) for s in sources)


def _is_imported(index: ModuleIndex, name: str) -> bool:
    """Whether a name of the module comes from a library of arrays."""
    found = [b.imported for b in (*index.bindings.get(name, ()), *index.local_imports.get(name, ()))]
    return bool(found) and all(i is not None and i[0].partition(".")[0] in ARRAY_LIBRARIES for i in found)
