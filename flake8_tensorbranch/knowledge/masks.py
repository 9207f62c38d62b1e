"""Operations whose result is a mask, or stays one (what a boolean index is made of), or is as long as they are told."""

from __future__ import annotations

_SPACES = ("torch.", "torch.Tensor.")


def _names(text: str) -> frozenset[str]:
    return frozenset(space + name for space in _SPACES for name in text.split())


GIVES_MASK = (
    _names(
        "all any eq ne lt le gt ge not_equal less less_equal greater greater_equal isnan isinf isfinite isposinf "
        "isneginf isreal isclose signbit logical_and logical_or logical_xor logical_not"
    )
    | {f"torch.Tensor.{name}" for name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "bool")}
    | {"torch.isin"}
)
"""Operations that give a bool tensor whatever they are given (uint8 apart), by canonical name; the test runs them."""

KEEPS_MASK = _names(
    "bitwise_and bitwise_not bitwise_or bitwise_xor chunk clone detach diagonal flatten flip gather index_select "
    "masked_fill movedim narrow permute reshape roll select squeeze swapaxes t tile transpose tril triu unflatten "
    "unsqueeze"
) | {
    f"torch.Tensor.{name}"
    for name in (
        *("contiguous", "cpu", "cuda", "expand", "expand_as", "repeat", "reshape_as", "view", "view_as"),
        *("__and__", "__getitem__", "__invert__", "__or__", "__rand__", "__ror__", "__rxor__", "__xor__"),
    )
}
"""Operations that give a bool tensor for a bool tensor; the test runs them."""


SIZED_BY_FIRST = frozenset(f"torch.{name}" for name in ("empty", "full", "ones", "rand", "randn", "zeros")) | {
    f"torch.Tensor.new_{name}" for name in ("empty", "full", "ones", "zeros")
}
"""Operations whose first argument is the size of what they make; the test runs them."""


def gives_mask(qualname: str) -> bool:
    """Whether an operation's result is a bool tensor, whatever it is given."""
    return qualname in GIVES_MASK
