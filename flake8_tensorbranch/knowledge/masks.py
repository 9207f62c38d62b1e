"""Operations whose result is a mask, or stays one: what a boolean index is made of."""

from __future__ import annotations

_COMPARISONS = (
    "eq ne lt le gt ge not_equal less less_equal greater greater_equal isnan isinf isfinite isposinf isneginf isreal isclose "
    "isin signbit logical_and logical_or logical_xor logical_not"
)
_OPERATORS = "__eq__ __ne__ __lt__ __le__ __gt__ __ge__"
_KEEPING = (
    "all any bitwise_and bitwise_not bitwise_or bitwise_xor chunk clone contiguous cpu cuda detach diagonal expand expand_as flatten "
    "flip gather index_select masked_fill movedim narrow permute repeat reshape reshape_as roll select squeeze swapaxes t tile "
    "transpose tril triu unflatten unsqueeze view view_as __and__ __getitem__ __invert__ __or__ __rand__ __ror__ __rxor__ __xor__"
)
_SPACES = ("torch.", "torch.Tensor.")

GIVES_MASK = frozenset(
    [space + name for space in _SPACES for name in _COMPARISONS.split()]
    + [f"torch.Tensor.{name}" for name in _OPERATORS.split()]
    + ["torch.Tensor.bool"]
)
"""Operations that give a bool tensor whatever they are given, by canonical name (docstrings: "a boolean tensor")."""

KEEPS_MASK = frozenset(space + name for space in _SPACES for name in _KEEPING.split())
"""Operations that give a bool tensor for a bool tensor."""


def gives_mask(qualname: str) -> bool:
    """Whether an operation's result is a bool tensor, whatever it is given."""
    return qualname in GIVES_MASK
