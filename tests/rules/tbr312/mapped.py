"""Maps functions that ask the file beside this one."""

import torch
from torch import Tensor

from . import rows
from .rows import is_long, is_positive


def per_row(row: Tensor, flag: Tensor) -> Tensor:
    if is_positive(row):  # error: [TBR312]
        row = row.sin()
    if is_positive(flag):  # ok: [TBR312] `in_dims` is None for the flag  # error: [TBR101]
        row = row.cos()
    if is_long(row):  # ok: [TBR312] the other file compares a size
        row = row[:2]
    return row


batch = torch.vmap(per_row, in_dims=(0, None))(torch.rand(3, 4), torch.ones(4))


@torch.vmap
def scaled(row: Tensor) -> Tensor:
    return row * rows.total(row)  # error: [TBR312]
