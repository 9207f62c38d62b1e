"""What an expression's value is computed from: a backward slice through operands, names, attributes and calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.heirs import managed
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.syntax.binding import binder
from flake8_tensorbranch.syntax.kinds import NESTED

MOST: Final = 400
"""How many expressions a slice holds at most."""


def backward(origins: Origins, begin: Expr, calls: bool = True) -> Iterator[Expr]:
    """The expressions that a value is computed from, nearest first; the start is among them.

    What a function of the project returns is followed, and what stands in a test there is not.
    """
    seen: set[nodes.NodeNG] = set()
    work = [begin]
    while work and len(seen) < MOST:
        expr = work.pop(0)
        if expr.node in seen or not isinstance(expr.node, nodes.NodeNG):
            continue
        seen.add(expr.node)
        yield expr
        steps = origins.step(expr, calls)
        work.extend(steps)
        node = expr.node
        if isinstance(node, nodes.Name) and not steps and expr.scope is not None:
            work.extend(_bindings(origins, expr, node))
        if isinstance(node, NESTED):
            continue
        for child in node.get_children():
            if isinstance(child, nodes.Keyword):
                child = child.value
            if not isinstance(child, (nodes.AssignName, nodes.AssignAttr)):
                work.append(Expr(expr.module, expr.scope, child))


def _bindings(origins: Origins, expr: Expr, node: nodes.Name) -> Iterator[Expr]:
    """What loops, tuples, augmented assignments and `with` give to a local."""
    assert expr.scope is not None
    for bound in expr.scope.local_names.get(node.name, ()):
        up = binder(bound)
        if isinstance(up, (nodes.Assign, nodes.AugAssign, nodes.AnnAssign)) and up.value is not None:
            yield Expr(expr.module, expr.scope, up.value)
        elif isinstance(up, (nodes.For, nodes.Comprehension)):
            yield Expr(expr.module, expr.scope, up.iter)
        elif isinstance(up, nodes.With):
            for opened, target in up.items:
                if target is not None and (target is bound or target.parent_of(bound)):
                    yield (manager := Expr(expr.module, expr.scope, opened))
                    for callee in origins.callees(manager) if isinstance(opened, nodes.Call) else ():
                        yield from (Expr(callee.module, callee, value) for value in managed(callee))
