"""Whole numbers: what tells a tensor of them, and which operations on them do not round."""

from __future__ import annotations

from typing import Final

WHOLE_NAMES: Final = (
    r"(^|_)(ids?|idx|index|indices|positions?|lengths?|lens|seq_?lens?|cu_?seqlens?|offsets|counts)(_|$)"
)
"""A pattern of parameters' names by which code hands on indices, positions and lengths."""

WHOLE_TYPES: Final = ("LongTensor", "IntTensor", "BoolTensor", "ByteTensor", "ShortTensor")
"""How the names of annotated types of whole numbers and booleans end."""

WHOLE_OPERATIONS: Final = frozenset(
    "abs all any amax amin arange argmax argmin argsort bincount bitwise_and bitwise_or bool broadcast_to cat chunk "
    "clamp clone contiguous count_nonzero cpu cumsum detach diff dim eq equal expand expand_as flatten flip full "
    "gather ge gt index_select int is_contiguous isin item le len logical_and logical_not logical_or long lt "
    "masked_fill max maximum min minimum narrow ndim ne neg new_full new_ones new_zeros nonzero numel ones ones_like "
    "permute prod range repeat repeat_interleave reshape roll select sign size sort split squeeze stack sub sum take t "
    "to tolist topk transpose unbind unique unique_consecutive unsqueeze view view_as where zeros zeros_like".split()
)
"""Functions and methods that give of whole numbers whole numbers, booleans or sizes, the same each time."""
