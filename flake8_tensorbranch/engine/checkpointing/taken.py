"""What a caller takes out of the tuple that a call gives, and whether a tensor is computed of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lattice import TENSOR
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.containers import FILLS, GIVES_ELEMENTS, TAKES
from flake8_tensorbranch.knowledge.gradients import CUTS, LEAVES_THE_GRAPH

_FOR_SHOW: Final = CUTS | {"cpu"}  # moved to the host: to be looked at
_GIVES: Final = (GIVES_ELEMENTS | TAKES) - {"keys"}
_DEPTH: Final = 4


def computed_with(origins: Origins, call: Expr, position: int) -> bool:
    """True when the caller computes a tensor of what it finds at a position of the tuple that a call returns: under a
    name that it unpacks, by index, in a loop.
    """
    if call.scope is None:
        return False
    statement = call.node.parent
    target: Any = statement.targets[0] if isinstance(statement, nodes.Assign) else None
    if isinstance(target, nodes.Tuple):
        if position >= len(target.elts) or any(isinstance(e, nodes.Starred) for e in target.elts):
            return False
        return any(_used(origins, call, name, statement.lineno) for name in _names(target.elts[position]))
    whole = [call.node] if target is None else []
    if isinstance(target, nodes.AssignName):
        whole = list(_reads(call, target.name, statement.lineno))
    return any(_taken_at(node, position) and _enters(origins, call, node.parent) for node in whole)


def _names(target: Any) -> list[str]:
    """The names that a target binds, those of a tuple in it as well; none where anything else is bound."""
    parts: list[Any] = target.elts if isinstance(target, nodes.Tuple) else [target]
    return [p.name for p in parts] if all(isinstance(p, nodes.AssignName) for p in parts) else []


def _taken_at(node: nodes.NodeNG, position: int) -> bool:
    """True for a node of which the element at a position is taken by its number."""
    up = node.parent
    return (
        isinstance(up, nodes.Subscript)
        and up.value is node
        and isinstance(up.slice, nodes.Const)
        and up.slice.value == position
    )


def _reads(call: Expr, name: str, since: int) -> Iterator[nodes.Name]:
    for node in call.scope.node.nodes_of_class(nodes.Name) if call.scope is not None else ():
        if node.name == name and (node.lineno or 0) > since:
            yield node


def _used(origins: Origins, call: Expr, kept: str, since: int, depth: int = _DEPTH) -> bool:
    """True when a tensor is computed of a name after a line."""
    return depth > 0 and any(_enters(origins, call, name, depth) for name in _reads(call, kept, since))


def _enters(origins: Origins, call: Expr, taken: nodes.NodeNG, depth: int = _DEPTH) -> bool:
    """True for an expression that a tensor is computed of, with its graph: here, under the name that is given to what
    it holds, or of what a loop takes out of it.
    """
    if without_grad(origins, Expr(call.module, call.scope, taken), 0):
        return False
    held: Any = taken
    up: Any = taken.parent
    while (isinstance(up, nodes.Subscript) and up.value is held) or _gives(up, held):
        held, up = up, up.parent
    line = taken.lineno or 0
    if isinstance(up, (nodes.For, nodes.Comprehension)) and up.iter is held:
        target: Any = up.target
        items = isinstance(held, nodes.Call) and getattr(held.func, "attrname", "") == "items"
        if items and isinstance(target, nodes.Tuple) and len(target.elts) == 2:
            target = target.elts[1]
        return any(_used(origins, call, name, line - 1, depth - 1) for name in _names(target))
    if isinstance(up, nodes.Assign):
        return any(_used(origins, call, n, line, depth - 1) for target in up.targets for n in _names(target))
    if isinstance(up, nodes.AugAssign):
        return up.value is held and _is_tensor(origins, call, held)
    found, below = False, held
    while up is not None and not up.is_statement:
        called = getattr(up.func, "attrname", getattr(up.func, "name", "")) if isinstance(up, nodes.Call) else ""
        if called in _FOR_SHOW or called in FILLS:
            return False
        if isinstance(up, nodes.Attribute) and up.expr is below and up.attrname in LEAVES_THE_GRAPH:
            return False
        found = found or (isinstance(up, (nodes.BinOp, nodes.Call)) and _is_tensor(origins, call, up))
        below, up = up, up.parent
    return found


def _gives(up: nodes.NodeNG | None, held: nodes.NodeNG) -> bool:
    """True for the method by which a container gives what it holds, and for its call."""
    if isinstance(up, nodes.Attribute):
        return up.expr is held and up.attrname in _GIVES and isinstance(up.parent, nodes.Call)
    return isinstance(up, nodes.Call) and up.func is held and isinstance(held, nodes.Attribute)


def _is_tensor(origins: Origins, call: Expr, node: nodes.NodeNG) -> bool:
    return origins.value(Expr(call.module, call.scope, node)).must(TENSOR)
