"""The plain call beside a checkpoint of the same function: the other side of a switch that holds for the whole run."""

from __future__ import annotations

from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.recomputes import Recomputes
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.syntax.printing import source_of


def replaced(recomputes: Recomputes, plain: Expr) -> bool:
    """True for `layer(h)` where a test that the loop around does not decide takes `checkpoint(layer, h)` instead."""
    call: Any = plain.node
    below, up = call, call.parent
    while up is not None and not isinstance(up, (nodes.FunctionDef, nodes.Lambda, nodes.For, nodes.While)):
        if isinstance(up, (nodes.If, nodes.IfExp)) and below is not up.test:
            other = _others(up, below)
            if any(_checkpoints(recomputes, plain, made, call) for made in other) and not _varies(up):
                return True
        below, up = up, up.parent
    return False


def _others(choice: Any, side: nodes.NodeNG) -> list[nodes.Call]:
    """The calls on the side of a choice that a node does not stand on."""
    if isinstance(choice, nodes.IfExp):
        roots = [choice.orelse if side is choice.body else choice.body]
    else:
        roots = choice.orelse if side in choice.body else choice.body
    return [c for root in roots for c in root.nodes_of_class(nodes.Call)]


def _checkpoints(recomputes: Recomputes, plain: Expr, made: nodes.Call, call: nodes.Call) -> bool:
    found = recomputes.direct(Expr(plain.module, plain.scope, made))
    if found is None or found.function is None:
        return False
    plainly, given = source_of(call.func), found.function.node
    return any(source_of(n) == plainly for n in (given, *given.nodes_of_class((nodes.Name, nodes.Attribute))))


def _varies(choice: Any) -> bool:
    """True where a loop around binds a name of the test: it may choose by the layer."""
    loop = loop_around(choice)
    if loop is None:
        return False
    bound = {n.name for n in loop.nodes_of_class(nodes.AssignName)}
    return any(n.name in bound for n in choice.test.nodes_of_class(nodes.Name))
