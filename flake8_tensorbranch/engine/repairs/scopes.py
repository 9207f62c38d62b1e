"""Scopes put inside of the checkpointed function, so that its recompute opens them too."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.repairs.text import Edits, Text, end, quoted, replacing, speaks_to_tools, start
from flake8_tensorbranch.knowledge.tensors import AFTER_ATTENTION
from flake8_tensorbranch.syntax.names import ModuleIndex

_FUNCTIONS: Final = (nodes.Name, nodes.Attribute, nodes.Lambda)


def inside(index: ModuleIndex, manager: nodes.NodeNG, call: nodes.NodeNG, function: nodes.NodeNG) -> Edits | None:
    """The edit that takes a `with` away and has its context manager decorate the function that the call checkpoints.

    `manager` is the call that makes the context manager, which must be one that can be a decorator, as all of
    `contextlib.contextmanager` are. None unless the call is all that the `with` holds.
    """
    scope: Any = manager.parent
    if not isinstance(scope, nodes.With) or isinstance(scope, nodes.AsyncWith) or quoted(scope):
        return None
    if len(scope.items) != 1 or scope.items[0][0] is not manager or scope.items[0][1] is not None:
        return None
    statement = scope.body[0]
    if len(scope.body) > 1 or not isinstance(statement, (nodes.Assign, nodes.Return, nodes.Expr)):
        return None
    if not isinstance(manager, nodes.Call) or not isinstance(function, _FUNCTIONS) or not statement.parent_of(call):
        return None
    others = [c for c in statement.nodes_of_class(nodes.Call) if c is not call and not function.parent_of(c)]
    if not all(
        isinstance(c.func, nodes.Attribute) and c.func.attrname in AFTER_ATTENTION and c.parent_of(call) for c in others
    ):
        return None
    text = Text.of(index)
    said = text.source(statement)
    header = text.between(end(manager), start(statement))
    before = text.before(start(scope))
    if "\n" in said or "\n" in text.source(manager) or before.strip() or "\n" not in header:
        return None
    if text.after(end(statement)).strip().startswith(";"):
        return None
    first = len(text.between(start(statement), start(function)))
    last = first + len(text.source(function))
    inner = text.source(function)
    wrapped = f"{said[:first]}{text.source(manager)}({inner}){said[last:]}"
    comments = [line.partition("#")[2] for line in header.split("\n") if "#" in line]
    if any(map(speaks_to_tools, comments)):
        return None
    lines = [*(f"#{comment.rstrip()}" for comment in comments), wrapped]
    return (replacing(start(scope), end(scope), f"\n{before}".join(lines)),)
