"""Edits of a `context_fn` that is no function, and of what stands beside it."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.engine.repairs import arguments
from flake8_tensorbranch.engine.repairs.imports import spelled
from flake8_tensorbranch.engine.repairs.settings import left_out
from flake8_tensorbranch.engine.repairs.text import Edits, Text, end, inserting, quoted, replacing, start
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex


def callable_instead(index: ModuleIndex, scope: FunctionInfo | None, call: nodes.NodeNG, how: str) -> Edits | None:
    """Edits for what is wrong with a call's `context_fn`, as `engine.checkpointing.contexts` names it.

    A `tuple` of contexts built at the call becomes a lambda that builds them, a `called` policy a partial of it; beside
    `debug`, that option goes. None for the rest, and for what is not written at the call.
    """
    told = (
        arguments.keyword(call, "debug" if how == "debug" else "context_fn") if isinstance(call, nodes.Call) else None
    )
    if told is None or quoted(call):
        return None
    value = told.value
    if how == "debug":
        return left_out(index, value, "False")
    if how == "tuple" and isinstance(value, (nodes.Tuple, nodes.List)):
        fresh = len(value.elts) == 2 and all(isinstance(element, nodes.Call) for element in value.elts)
        return (inserting(start(value), "lambda: "),) if fresh else None
    if how == "called" and isinstance(value, nodes.Call) and scope is not None:
        return _partial(index, scope, value)
    return None


def _partial(index: ModuleIndex, scope: FunctionInfo, made: nodes.Call) -> Edits | None:
    name = spelled(index, scope, "functools", "partial")
    first = arguments.given(made)
    if name is None or not first:
        return None
    gap = Text.of(index).gap(end(made.func), start(first[0]))
    if gap is None or [char for char, _ in gap] != ["("]:
        return None
    edits = (inserting(start(made), f"{name[0]}("), replacing(end(made.func), gap[0][1], ", "))
    return edits if name[1] is None else (name[1], *edits)
