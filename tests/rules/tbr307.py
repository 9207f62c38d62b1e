# options: --tbr-enable=TBR307
"""TBR307: an operator in a compiled region gives a result whose size depends on values."""

import torch
from torch import Tensor


def chosen(x: Tensor, mask: Tensor) -> Tensor:
    return torch.masked_select(x, mask)  # error: [TBR307]


@torch.compile
def selected(x: Tensor, ids: Tensor) -> Tensor:
    positive = x[x > 0]  # error: [TBR307] "a graph break"
    doubled = positive * 2  # ok: [TBR307] takes the size over
    found = torch.nonzero(ids)  # error: [TBR307]
    kinds = ids.unique()  # error: [TBR307]
    picked = torch.where(x > 0, x, 0.0)  # ok: [TBR307] the size of its inputs
    gathered = x[ids]  # ok: [TBR307] as many as there are ids
    for _ in range(2):
        picked = picked + x.nonzero().sum()  # error: [TBR307] "runs eagerly"
    return doubled.sum() + found.sum() + kinds.sum() + picked.sum() + gathered.sum() + chosen(x, x > 1).sum()


@torch.compile(fullgraph=True)
def captured(x: Tensor) -> Tensor:
    return x[x > 0].sum()  # ok: [TBR307] `fullgraph=True` captures it


def eager(x: Tensor) -> Tensor:
    return x[x > 0].sum()  # ok: [TBR307] not compiled


@torch.compile
def several(x: Tensor) -> Tensor:
    rows, columns = torch.where(x > 0)  # error: [TBR307]
    places = x.nonzero(as_tuple=True)  # error: [TBR307]
    kinds, counts = torch.unique(x, return_counts=True)  # error: [TBR307]
    return rows.sum() + columns.sum() + places[0].sum() + kinds.sum() + counts.sum()
