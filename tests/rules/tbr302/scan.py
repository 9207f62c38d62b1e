"""Compiled functions that loop by sizes of the file beside this one."""

import torch
from torch import Tensor

from . import rows
from .rows import length, rank, row_means


@torch.compile(backend="eager")
def scanned(x: Tensor) -> Tensor:
    for i in range(length(x)):  # error: [TBR302]
        x = x + i
    for _ in range(rank(x)):  # ok: [TBR302] the other file gives the rank
        x = x.cos()
    x = x * rows.FACTORS[x.shape[0]]  # error: [TBR302]
    x = rows.scaled(x)  # error: [TBR302]
    x = rows.labelled(x)  # ok: [TBR302] digits that are only printed
    return torch.stack(row_means(x))  # error: [TBR302]


def outside(x: Tensor) -> Tensor:
    return rows.eager_sum(scanned(x))
