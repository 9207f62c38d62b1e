"""What runs after a `try` only where its handler ran: the sides of tests that a flag decides which the handler sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.syntax.kinds import NESTED

_TENSOR: Final = object()  # not None; what else it is, no test of it tells
_UNKNOWN: Final = object()


def recovering(node: nodes.Try, handler: nodes.ExceptHandler) -> Iterator[Any]:
    """The statements and expressions behind a `try`, in its block, that only its handler's way comes to."""
    block: Any = getattr(node.parent, "body", None)
    if not isinstance(block, list) or node not in block:
        return
    begin = block.index(node)
    before, later = block[:begin], block[begin + 1 :]
    for top in later:
        for branch in top.nodes_of_class((nodes.If, nodes.IfExp), NESTED):
            if isinstance(branch, nodes.If) and branch is not top:
                continue
            name = _subject(branch.test)
            if not name or any(
                n.name == name for s in later for n in s.nodes_of_class(nodes.AssignName) if s is not top
            ):
                continue
            after = _outcome(branch.test, _in_handler(name, before, node, handler))
            usual = _outcome(branch.test, _usual(name, before, node))
            if after is None or usual is None or after is usual:
                continue
            side = branch.body if after else branch.orelse
            yield from side if isinstance(side, list) else [side]


def _subject(test: Any) -> str:
    """The name that a test is about."""
    while isinstance(test, nodes.UnaryOp) and test.op == "not":
        test = test.operand
    if isinstance(test, nodes.Compare) and len(test.ops) == 1:
        test = test.left
    return test.name if isinstance(test, nodes.Name) else ""


def _outcome(test: Any, value: object) -> bool | None:
    """How a test of a value comes out; None where that is not known."""
    if isinstance(test, nodes.UnaryOp):
        inner = _outcome(test.operand, value)
        return None if inner is None else not inner
    if value is _UNKNOWN:
        return None
    if isinstance(test, nodes.Compare):
        op, right = test.ops[0]
        if not isinstance(right, nodes.Const) or op not in ("is", "is not", "==", "!="):
            return None
        if not isinstance(value, _Value):
            return None if right.value is not None else op in ("is not", "!=")
        return bool(value.value == right.value) is (op in ("is", "=="))
    return bool(value.value) if isinstance(value, _Value) else None


def _in_handler(name: str, before: list[Any], node: nodes.Try, handler: nodes.ExceptHandler) -> object:
    """The value of a name once the handler has run: the last statement of the body has not finished."""
    own = _last(name, handler.body)
    if own is not None:
        return own
    started = _last(name, node.body[:-1])
    return started if started is not None else _last(name, before) or _UNKNOWN


def _usual(name: str, before: list[Any], node: nodes.Try) -> object:
    """The value of a name where nothing was raised."""
    for block in ([*node.body, *node.orelse], before):
        found = _last(name, block)
        if found is not None:
            return found
    return _UNKNOWN


class _Value:
    """A constant, as something that is never None."""

    def __init__(self, value: object) -> None:
        self.value = value


def _last(name: str, block: list[Any]) -> object:
    """What statements leave in a name; None where they do not bind it."""
    found: object = None
    for statement in block:
        bound = [n for n in statement.nodes_of_class(nodes.AssignName, NESTED) if n.name == name]
        if not bound:
            continue
        plain = isinstance(statement, nodes.Assign) and statement.targets == bound
        value = statement.value if plain else None
        if isinstance(value, nodes.Const):
            found = _Value(value.value)
        else:
            found = _TENSOR if isinstance(value, (nodes.Call, nodes.BinOp)) else _UNKNOWN
    return found
