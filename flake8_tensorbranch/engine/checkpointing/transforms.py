"""Transformations of `torch.func` around what checkpoints inside, and inside of regions: both raise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.differentiated import decorating, transformed
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.inference.program import functions_of
from flake8_tensorbranch.engine.lookup.guards import guards
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.tracing import FORWARD_MODE, FUNCTIONAL_CALLS, RECOMPUTING, TRANSFORMING


def around(origins: Origins, recomputes: Recomputes) -> Iterator[tuple[Expr, str, Recompute]]:
    """Uses of `torch.func.grad` and its like on functions that checkpoint inside: the place, the transformation's name,
    and the checkpoint.
    """
    for place, name, functions in transformed(origins, RECOMPUTING | FORWARD_MODE):
        if recomputes.regions.of(place.scope, "compiled") is not None:
            continue
        for function in functions:
            calls = [c for c in recomputes.tree.calls(function) if not without_grad(origins, c, 0)]
            for called in [c for c in calls if origins.externals(c) & FUNCTIONAL_CALLS and c.node.args]:
                module = origins.value(replace(called, node=called.node.args[0]))
                for forward in functions_of(origins.program.analysis, module):
                    calls.extend(recomputes.tree.calls(forward))
            inner = (recomputes.direct(c) for c in calls)
            made = next((m for m in inner if m is not None and m.home is None and not _is_left_out(origins, m)), None)
            if made is not None:
                yield place, name, made
                break


def of_a_result(backward: Backward, place: Expr) -> bool:
    """True where a backward differentiates what a transformation gives, or what the function that it makes gives."""
    up = place.node.parent
    called = isinstance(up, nodes.Call) and up.func is place.node
    return bool(backward.of(replace(place, node=up) if called else place))


def inside(origins: Origins, recomputes: Recomputes, made: Recompute) -> str:
    """The transformation that a region calls, of those that run a backward of their own; empty where there is none."""
    if recomputes.regions.of(made.call.scope, "compiled") is not None:
        return ""
    for function in recomputes.reads(made):
        if not function.module.mentions(TRANSFORMING):
            continue
        for _, name in decorating(origins, function, RECOMPUTING):
            return name
        for call in function.calls:
            found = origins.externals(Expr(function.module, function, call)) & RECOMPUTING
            if found:
                return min(found)
    return ""


def _is_left_out(origins: Origins, made: Recompute) -> bool:
    """True for a checkpoint that a parameter switches on, which the calls in view leave off."""
    scope = made.call.scope
    for test, outcome in guards(made.call.node).items() if scope is not None else ():
        given = origins.passed(scope, test) if scope is not None and any(p.name == test for p in scope.params) else []
        if given and all(isinstance(g.node, nodes.Const) and bool(g.node.value) is not outcome for g in given):
            return True
    return False
