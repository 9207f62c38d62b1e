"""Parts of pairs: what a name, an attribute or an index gets of a tuple that is unpacked, kept or returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.resolve import Variable
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_DEPTH: Final = 6


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a pair: the expression that makes it, the place that runs it, its position."""

    made: Expr
    run: Expr
    position: int


def part(origins: Origins, expr: Expr) -> Part | None:
    """The part that an expression is; None for anything else, and where several may be meant."""
    node = expr.node
    if isinstance(node, nodes.Subscript):
        at = node.slice.value if isinstance(node.slice, nodes.Const) else None
        return _element(origins, replace(expr, node=node.value), at, _DEPTH) if isinstance(at, int) else None
    targets = list(_targets(origins, expr))
    if len(targets) != 1:
        return None
    scope, target = targets[0]
    up: Any = target.parent
    if not isinstance(up, (nodes.Tuple, nodes.List)) or not isinstance(up.parent, nodes.Assign):
        return None
    value = Expr(expr.module if scope is None else scope.module, scope, up.parent.value)
    return _element(origins, value, up.elts.index(target), _DEPTH)


def pair(origins: Origins, expr: Expr) -> tuple[Expr, Expr] | None:
    """The tuple that an expression gives, with the place that runs it: by name, out of a function of the project."""
    run = expr
    for _ in range(_DEPTH):
        node = expr.node
        if isinstance(node, (nodes.Tuple, nodes.List)):
            return expr, run
        called = isinstance(node, nodes.Call)
        found: list[Expr]
        if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and node.func.name in ("tuple", "list"):
            found = [replace(expr, node=node.args[0])] if len(node.args) == 1 else []
            called = False
        elif isinstance(node, nodes.Call):
            found = [result for callee in origins.callees(expr) for result in origins.returns(callee)]
        else:
            found = origins.step(expr, calls=False)
        if len(found) != 1:
            return None
        if run is expr and not called:
            run = found[0]
        expr = found[0]
    return None


def _element(origins: Origins, value: Expr, position: int, depth: int) -> Part | None:
    """The element at a position of what an expression gives."""
    node = value.node
    if isinstance(node, nodes.ListComp):
        return Part(replace(value, node=node.elt), value, position)
    made = pair(origins, value)
    if made is not None and -len(made[0].node.elts) <= position < len(made[0].node.elts):
        element = replace(made[0], node=made[0].node.elts[position])
        return Part(element, made[1], position)
    run = value
    while depth > 0:
        callees = origins.callees(value)
        if isinstance(value.node, nodes.Call):
            if not callees:
                return Part(value, run, position)
            steps = [result for callee in callees for result in origins.returns(callee)]
        else:
            steps = origins.step(value, calls=False)
        if len(steps) != 1:
            return None
        run = steps[0] if run is value and not callees else run
        value, depth = steps[0], depth - 1
    return None


def _targets(origins: Origins, expr: Expr) -> Iterator[tuple[FunctionInfo | None, nodes.NodeNG]]:
    """What binds a name, or stores an attribute of an object of the project, with the function it stands in."""
    node, scope = expr.node, expr.scope
    if isinstance(node, nodes.Attribute):
        for ref in origins.value(replace(expr, node=node.expr)).each:
            if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                for writer in ref.cls.stores.get(node.attrname, ()):
                    yield from ((writer, s) for s in writer.attribute_stores if s.attrname == node.attrname)
        return
    if not isinstance(node, nodes.Name):
        return
    while scope is not None:
        if node.name in scope.local_names and node.name not in scope.declared_global:
            yield from ((scope, bound) for bound in scope.local_names[node.name])
            return
        scope = scope.parent
    found = origins.program.analysis.resolver.name(expr.module, node.name)
    if isinstance(found, Variable) and found.module is expr.module:
        for binding in found.module.bindings.get(found.name, ()):
            names = binding.statement.nodes_of_class(nodes.AssignName)
            yield from ((None, name) for name in names if name.name == found.name and _binds(name, binding))


def _binds(name: nodes.NodeNG, binding: Any) -> bool:
    """True for a target of the statement itself, not of a comprehension in its value."""
    return name.statement() is binding.statement and (
        assigned(name) is not None or isinstance(name.parent, (nodes.Tuple, nodes.List))
    )
