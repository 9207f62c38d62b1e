"""States that a function sets and sets back by statements: attributes, globals, the environment, context variables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.flags import Flags, Key, variable_of
from flake8_tensorbranch.engine.checkpointing.stores import of_call, of_target
from flake8_tensorbranch.engine.lookup.origins import line
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted
from flake8_tensorbranch.syntax.printing import source_of

_GONE = object()
_NOT_STATE = ("training", "requires_grad")


def toggles(function: FunctionInfo, flags: Flags) -> Iterator[tuple[Any, Any, Key]]:
    """Pairs of statements that set the same state to different values, and the state."""
    settings: dict[tuple[Key, str], list[tuple[Any, object]]] = {}
    for node, path, value in (*_stored(function), *_removed(function)):
        key = flags.key(function, node)
        if key is not None and key[1] not in _NOT_STATE:
            settings.setdefault((key, path), []).append((node, value))
    for (key, path), found in settings.items():
        found.sort(key=lambda setting: line(setting[0]))
        for (one, before), (other, after) in pairwise(found):
            if before is not after and before != after and _is_known(function, path, before, after):
                yield one, other, key
    yield from _tokens(function, flags)


def _is_known(function: FunctionInfo, path: str, before: object, after: object) -> bool:
    """True where two settings differ for sure: literals, or a literal and what was kept from before."""
    if isinstance(before, nodes.NodeNG):
        return False
    return not isinstance(after, nodes.NodeNG) or (isinstance(after, nodes.Name) and _kept(function, after.name, path))


def _kept(function: FunctionInfo, name: str, path: str) -> bool:
    """True for a name that was assigned from the state."""
    for bound in function.local_names.get(name, ()):
        source = getattr(bound.parent, "value", None)
        if isinstance(source, nodes.Call) and path in (variable_of(source), _asked(source)):
            return True
        if isinstance(source, (nodes.Name, nodes.Attribute, nodes.Subscript)) and _path(source) == path:
            return True
    return False


def _stored(function: FunctionInfo) -> Iterator[tuple[Any, str, object]]:
    """Each assignment of a state: the target, its path, the literal or expression it is given."""
    for statement in function.node.nodes_of_class(nodes.Assign, NESTED):
        value = statement.value.value if isinstance(statement.value, nodes.Const) else statement.value
        for target in statement.targets:
            if isinstance(target, (nodes.AssignAttr, nodes.AssignName, nodes.Subscript)):
                yield target, _path(target), value
    for call in function.calls:
        stored = of_call(call)
        if stored is not None and stored.value is not None and dotted(stored.holder):
            value = stored.value.value if isinstance(stored.value, nodes.Const) else stored.value
            yield call, f"{dotted(stored.holder)}.{stored.name}", value


def _removed(function: FunctionInfo) -> Iterator[tuple[Any, str, object]]:
    """`del os.environ["NAME"]` and `os.environ.pop("NAME")`."""
    for statement in function.node.nodes_of_class(nodes.Delete):
        for target in statement.targets:
            if isinstance(target, nodes.Subscript):
                yield target, _path(target), _GONE
    for call in function.calls:
        if isinstance(call.func, nodes.Attribute) and call.func.attrname == "pop" and variable_of(call):
            yield call, variable_of(call) or "", _GONE


def _tokens(function: FunctionInfo, flags: Flags) -> Iterator[tuple[Any, Any, Key]]:
    """`token = variable.set(value)`, and `variable.reset(token)` later."""
    first: Any
    second: Any
    for first in function.calls:
        if not (isinstance(first.func, nodes.Attribute) and first.func.attrname == "set"):
            continue
        names = {t.name for t in getattr(first.parent, "targets", ()) if isinstance(t, nodes.AssignName)}
        for second in function.calls:
            back = isinstance(second.func, nodes.Attribute) and second.func.attrname == "reset"
            if back and len(second.args) == 1 and dotted(second.args[0]) in names and line(second) > line(first):
                key = flags.key(function, first)
                if key is not None and dotted(second.func.expr) == dotted(first.func.expr):
                    yield first, second, key


def _asked(call: nodes.Call) -> str | None:
    """The attribute that `getattr(o, "name")` reads, with its object; None for any other call."""
    if not isinstance(call.func, nodes.Name) or call.func.name != "getattr" or len(call.args) < 2:
        return None
    name = call.args[1].value if isinstance(call.args[1], nodes.Const) else ""
    return f"{dotted(call.args[0])}.{name}"


def _path(node: Any) -> str:
    if isinstance(node, nodes.Subscript):
        stored = of_target(node, None)
        if stored is not None and stored.key is None:
            return f"{dotted(stored.holder)}.{stored.name}"  # `o.__dict__["name"]`
        return variable_of(node) or source_of(node)
    return dotted(node) or str(getattr(node, "name", ""))
