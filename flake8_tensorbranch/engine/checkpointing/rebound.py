"""Names that calls bind anew, by `global` and `nonlocal`, between a checkpointed call and its recompute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.ownlayers import apart
from flake8_tensorbranch.engine.lookup.calltree import tree_of
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted


@dataclass(frozen=True, slots=True)
class _Bound:
    """A place of a function where a name gets a value: the statement or call, and the value where it is told."""

    node: nodes.NodeNG
    value: Expr | None


class Rebound:
    """Looks at the functions of a file that bind names of others."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.tree = tree_of(origins)
        functions = origins.program.index.functions
        self.names = {n for f in functions for n in f.declared_global | f.declared_nonlocal}
        """The names that some function binds for others."""

    def after(self, scope: FunctionInfo, name: str, call: nodes.Call, backwards: Iterable[nodes.NodeNG | None]) -> bool:
        """True when a name that a function of the region reads is bound to another value after a call in its scope, and
        before the first of the backwards that are in view.
        """
        if name not in self.names:
            return False
        ends = list(backwards)
        known = [line(n) for n in ends if n is not None]
        until = min(known) if known and len(known) == len(ends) else None
        loop, last = loop_around(call), call.statement().tolineno or line(call)
        found = sorted(self._all(scope, name), key=lambda b: line(b.node))
        turns = [b for b in found if loop is not None and loop.parent_of(b.node) and not self._inside(b, call)]
        if turns and not (ends and all(n is not None and loop and loop.parent_of(n) for n in ends)):
            begun = [b.value for b in found if line(b.node) < line(loop)] or [self._first(scope, name)]
            return not self._same([begun[-1], *(b.value for b in turns)])
        after = [b for b in found if line(b.node) > last and not apart(b.node, call)]
        later = [b for b in after if until is None or line(b.node) <= until]
        if not later:
            return False
        before = [b for b in found if line(b.node) < line(call)]
        in_force = before[-1].value if before else self._first(scope, name)
        own = before and isinstance(before[-1].node, nodes.AssignName) and isinstance(later[-1].node, nodes.AssignName)
        if own and in_force is not None and isinstance(in_force.node, nodes.Const):
            return False  # a switch, set for the call and set back: a scope that ends too early
        return not self._same([in_force, later[-1].value])

    def _all(self, scope: FunctionInfo, name: str) -> Iterator[_Bound]:
        """Where a function, or what it calls, binds the name."""
        for bound in _bindings(scope, name):
            value = assigned(bound)
            yield _Bound(bound, None if value is None else Expr(scope.module, scope, value))
        for call, callees in self.origins.facts(scope.module, scope).calls.items():
            for callee in callees:
                for function in self.tree.reached(callee)[:8]:
                    declared = name in function.declared_global | function.declared_nonlocal
                    if not declared or owner(function, name) is not owner(scope, name):
                        continue
                    for bound in _bindings(function, name):
                        if not _asks(bound, name):
                            yield _Bound(call, self._value(Expr(scope.module, scope, call), function, bound))

    def _value(self, site: Expr, function: FunctionInfo, bound: Any) -> Expr | None:
        value = assigned(bound)
        if isinstance(value, nodes.Name) and any(p.name == value.name for p in function.params):
            return self.origins.argument(site, function, value.name)
        return None if value is None else Expr(function.module, function, value)

    def _first(self, scope: FunctionInfo, name: str) -> Expr | None:
        """What the module binds a name to, once."""
        bindings = scope.module.bindings.get(name, ()) if owner(scope, name) is None else ()
        values = [getattr(b.statement, "value", None) for b in bindings if b.statement.parent is scope.module.tree]
        return Expr(scope.module, None, values[0]) if len(values) == 1 and values[0] is not None else None

    def _same(self, values: list[Expr | None]) -> bool:
        """True for values that are told to be one: equal literals, or one object under one name."""
        first = values[0]
        return first is not None and all(v is not None and self._equal(first, v) for v in values[1:])

    @staticmethod
    def _equal(one: Expr, other: Expr) -> bool:
        a, b = one.node, other.node
        if isinstance(a, nodes.Const) and isinstance(b, nodes.Const):
            return type(a.value) is type(b.value) and bool(a.value == b.value)
        path = dotted(a)
        if path is None or path != dotted(b):
            return False
        head = path.partition(".")[0]
        return owner(one.scope, head) is owner(other.scope, head)

    @staticmethod
    def _inside(bound: _Bound, call: nodes.Call) -> bool:
        return bound.node is call or call.parent_of(bound.node)


def _bindings(function: FunctionInfo, name: str) -> Iterator[Any]:
    """Where a function itself binds a name."""
    for node in function.node.nodes_of_class(nodes.AssignName):
        if node.name == name and function.module.scope_of.get(node.scope()) is function:
            if not isinstance(node.parent, (nodes.Arguments, nodes.Comprehension)):
                yield node


def _asks(bound: nodes.NodeNG, name: str) -> bool:
    """True where a name is bound under a test that asks for it: once."""
    up = bound.parent
    while up is not None and not isinstance(up, nodes.FunctionDef):
        if isinstance(up, nodes.If) and any(n.name == name for n in up.test.nodes_of_class(nodes.Name)):
            return True
        up = up.parent
    return False
