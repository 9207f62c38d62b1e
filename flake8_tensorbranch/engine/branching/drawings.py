"""Draws by what goes into them: numbers alone, or what tensors hold, of which a draw cannot be made beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import DATA, RANDOM, REPLAYED, TENSOR, UNKNOWN, AbstractValue, all_deps
from flake8_tensorbranch.syntax.names import FunctionInfo

ALONE: Final = "alone"
WEIGHED: Final = "weighed"
_DRAWN: Final = RANDOM | REPLAYED
_DEPTH: Final = 6


def of(scope: FunctionInfo | None, facts: Facts, node: nodes.NodeNG) -> str:
    """``alone``: all that an expression reads of tensors is drawn by numbers; ``weighed``: a draw takes what tensors
    hold; empty: neither.
    """
    reader = _Reader(scope, facts)
    return WEIGHED if reader.weighed(node, _DEPTH) else ALONE if reader.alone(node, _DEPTH) else ""


class _Reader:
    """Reads expressions of one scope, through its names."""

    def __init__(self, scope: FunctionInfo | None, facts: Facts) -> None:
        self.scope = scope
        self.values = facts.values

    def weighed(self, node: nodes.NodeNG, depth: int) -> bool:
        """True when a draw in an expression takes what tensors hold."""
        draws = (part for part in self._parts(node, depth) if self._draws(part))
        return any(_reads(self._value(given)) for draw in draws for given in _given(draw))

    def alone(self, node: Any, depth: int) -> bool:
        """True when what an expression reads of tensors is drawn."""
        value = self._value(node)
        if not _reads(value) or self._draws(node):
            return True
        if not all_deps(value) & _DRAWN or depth <= 0:
            return False
        inner = self._bound(node) if isinstance(node, nodes.Name) else list(_operands(node))
        return bool(inner) and all(self.alone(each, depth - 1) for each in inner)

    def _parts(self, node: Any, depth: int) -> list[nodes.NodeNG]:
        found = list(node.nodes_of_class((nodes.Call, nodes.Name)))
        for name in found if depth > 0 else ():
            if isinstance(name, nodes.Name) and all_deps(self._value(name)) & _DRAWN:
                found = found + [p for bound in self._bound(name) for p in self._parts(bound, depth - 1)]
        return found

    def _draws(self, node: nodes.NodeNG) -> bool:
        """True for a call that draws itself: nothing that goes into it is drawn."""
        if not isinstance(node, nodes.Call) or not all_deps(self._value(node)) & _DRAWN:
            return False
        owner = [node.func.expr] if isinstance(node.func, nodes.Attribute) else []
        return not any(all_deps(self._value(p)) & _DRAWN for p in (*_given(node), *owner))

    def _bound(self, name: nodes.Name) -> list[nodes.NodeNG]:
        """What a local name is assigned; empty where one of its bindings is no plain assignment."""
        bound = self.scope.local_names.get(name.name, ()) if self.scope is not None else ()
        found = [
            getattr(b.parent, "value", None) for b in bound if isinstance(b.parent, (nodes.Assign, nodes.AnnAssign))
        ]
        return [f for f in found if f is not None] if len(found) == len(bound) else []

    def _value(self, node: nodes.NodeNG) -> AbstractValue:
        return self.values.get(node, UNKNOWN)


def _reads(value: AbstractValue) -> bool:
    return bool(value.kinds & TENSOR or all_deps(value) & DATA)


def _given(call: Any) -> list[nodes.NodeNG]:
    """What weighs a draw: not its generator, and not a tensor of which `rand_like` takes the size."""
    name = getattr(call.func, "attrname", getattr(call.func, "name", ""))
    return [*call.args[name.endswith("_like") :], *(k.value for k in call.keywords if k.arg != "generator")]


def _operands(node: Any) -> Iterator[nodes.NodeNG]:
    """What an expression is computed of; of a call its arguments, and the object of a method."""
    for child in node.get_children():
        if isinstance(child, nodes.Keyword):
            yield child.value
        elif isinstance(node, nodes.Call) and child is node.func:
            yield from (child.expr,) if isinstance(child, nodes.Attribute) else ()
        else:
            yield child
