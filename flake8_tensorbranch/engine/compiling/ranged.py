"""Operations on a parameter that only some sizes of a named dimension allow: items, slices, pieces (facts J)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.syntax.names import called_name

_SMALLEST: Final = 2
"""A dynamic size is none of 0 and 1, nor is that of a slice that is cut off at an end of it."""
_UNLIMITED: Final = 1 << 62


def number(node: Any) -> int | None:
    """The whole number that is written at a place."""
    if isinstance(node, nodes.UnaryOp) and node.op == "-":
        inner = number(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, nodes.Const) and type(node.value) is int else None


def argument(call: nodes.Call, args: list[Any], at: int, name: str, default: int | None = None) -> int | None:
    """The number that an argument is, by position or by name; None for what is no literal."""
    told = args[at] if len(args) > at else next((k.value for k in call.keywords if k.arg == name), None)
    return default if told is None else number(told)


def indexed(node: nodes.Subscript) -> Iterator[tuple[int, int]]:
    """The dimensions that an index takes items or slices of, each with the smallest size that allows it."""
    parts: list[Any] = list(node.slice.elts) if isinstance(node.slice, nodes.Tuple) else [node.slice]
    for at, part in enumerate(parts):
        least = _least(part)
        if least is None:
            return  # an ellipsis, a mask, a new dimension: which one comes next is not told
        yield at, least


def _least(part: Any) -> int | None:
    one = number(part)
    if one is not None:
        return one + 1 if one >= 0 else -one
    if not isinstance(part, nodes.Slice):
        return None
    begin, end = number(part.lower) or 0, number(part.upper)
    if part.step is not None or (part.lower is not None and number(part.lower) is None):
        return 0
    if part.upper is None:
        return begin + _SMALLEST if begin > 0 else -begin
    if end is None:
        return 0
    return end if end > 0 else begin - end + _SMALLEST if begin >= 0 else 0


def called(call: nodes.Call, args: list[Any]) -> tuple[int, int, int] | None:
    """The dimension that `x.chunk(2)` and its like take apart, the smallest size they allow, and the largest span of
    sizes; `args` are what is given beside the tensor.
    """
    name = called_name(call)
    if name in ("chunk", "tensor_split", "split"):
        count, at = number(args[0]) if args else None, argument(call, args, 1, "dim", 0)
        if count is None or at is None or count < 1 or (name == "tensor_split" and count < _SMALLEST):
            return None
        return at, 0, {"chunk": count, "split": -count, "tensor_split": 0}[name]
    if name == "narrow":
        at, begin, length = (argument(call, args, i, n) for i, n in enumerate(("dim", "start", "length")))
        return None if at is None or begin is None or length is None or begin < 0 else (at, begin + length, _UNLIMITED)
    if name == "select":
        at, one = argument(call, args, 0, "dim"), argument(call, args, 1, "index")
        return None if at is None or one is None else (at, one + 1 if one >= 0 else -one, _UNLIMITED)
    if name == "topk":
        count, at = argument(call, args, 0, "k"), argument(call, args, 1, "dim", -1)
        return None if at is None or count is None else (at, count, _UNLIMITED)
    return None


def allows(least: int, span: int, low: int, high: int | None) -> bool:
    """True when every size from `low` to `high` is allowed; a negative `span` is the size of the pieces."""
    if span < 0:
        return high is not None and high <= -span
    return low >= least and (span == _UNLIMITED or (high is not None and high - low < span))
