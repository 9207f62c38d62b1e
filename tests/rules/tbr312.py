"""TBR312: a mapped tensor's value is read under `torch.vmap`."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn, vmap

LIMIT = torch.tensor(0.4)


def inner(flag: Tensor, row: Tensor) -> Tensor:
    if flag.any():  # ok: [TBR312] `in_dims` is None for the flag  # error: [TBR101]
        row = row + 1
    if row.any():  # error: [TBR312]
        row = row + 1
    return row


def per_row(row: Tensor, flag: Tensor, weight: Tensor) -> Tensor:
    if LIMIT > 0.3:  # ok: [TBR312] closed over: one value for the whole batch  # error: [TBR101]
        row = row + 1
    doubled = row * 2
    if doubled.sum() > 0:  # error: [TBR312]
        row = row.sin()
    scale = 2.0 if weight.max() > 1 else 1.0  # error: [TBR312]
    if row.shape[0] > 2:  # ok: [TBR312] a size
        row = row * scale
    return inner(flag, row)


rows = torch.vmap(per_row, in_dims=(0, None, 0))(torch.rand(3, 4), LIMIT, torch.rand(3))


@vmap
def read(row: Tensor) -> Tensor:
    return row * row.sum().item()  # error: [TBR312]


@partial(torch.vmap, in_dims=(None, 0))
def as_number(shift: Tensor, row: Tensor) -> Tensor:
    first = float(row[0])  # error: [TBR312]
    return row * first + shift.sum().item()  # ok: [TBR312] not mapped over


def weighted(weight: Tensor, row: Tensor) -> Tensor:
    if weight.sum() > 0:  # ok: [TBR312] the partial gives it, the map does not  # error: [TBR101]
        row = row * weight
    assert row.sum() > 0  # error: [TBR312]
    return torch.where(row > 0, row, 0.0)  # ok: [TBR312] no Python branch


batch = torch.vmap(partial(weighted, torch.ones(4)))(torch.rand(3, 4))


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("steps", torch.zeros(()))

    def forward(self, row: Tensor) -> Tensor:
        if self.steps > 3:  # ok: [TBR312] a buffer is not mapped over  # error: [TBR101]
            row = row * 2
        while row.norm() > 1:  # error: [TBR312]
            row = row / 2
        return row


heads = torch.vmap(Head())(torch.rand(3, 4))


def energy(weight: Tensor, row: Tensor) -> Tensor:
    total = (weight * row).sum()
    if total < 0:  # error: [TBR312]
        total = -total
    return total


gradients = torch.func.vmap(torch.func.grad(energy), in_dims=(None, 0))(torch.ones(4), torch.rand(3, 4))


def steep(weight: Tensor) -> Tensor:
    return weight.sin() if weight.sum() > 0 else weight  # ok: [TBR312] differentiated, not mapped  # error: [TBR101]


slope = torch.func.jacrev(steep)(torch.ones(4))


def mapped_by_hand(rows: Tensor) -> list[Tensor]:
    return [row / row.norm() if row.norm() > 1 else row for row in rows]  # error: [TBR101]


def positive(row: Tensor, weight: Tensor) -> Tensor:
    some = weight[weight > 0]  # ok: [TBR312] one mask for the whole batch
    return row[row > 0].sum() + some.sum()  # error: [TBR312]


picked = torch.vmap(positive, in_dims=(0, None))(torch.rand(3, 4), torch.rand(4))


def chosen(row: Tensor, weight: Tensor) -> Tensor:
    layers = [torch.sin, torch.cos]
    head = layers[row.argmax() % 2](row[: row.argmax()])  # error: [TBR312]  # error: [TBR312]
    name = f"{row.sum():.1f}"  # error: [TBR312]
    bound = weight[: weight.argmax()]  # ok: [TBR312] given by keyword: not mapped over
    return head.sum() * len(name) + torch.tensor([row[0], 1.0]) + bound.sum()  # error: [TBR312]


numbers = torch.vmap(chosen)(torch.rand(3, 4), weight=torch.rand(4))


def noisy(row: Tensor) -> Tensor:
    row = F.dropout(row, 0.0) + F.dropout(row, 0.5, training=False)  # ok: [TBR312] nothing is drawn
    return F.dropout(row) + torch.rand_like(row)  # error: [TBR312]  # error: [TBR312]


def noisy_rightly(row: Tensor) -> Tensor:
    return F.dropout(row) + torch.rand_like(row)  # ok: [TBR312] told what to do


alike = torch.vmap(noisy)(torch.rand(3, 4))
apart = torch.vmap(noisy_rightly, randomness="different")(torch.rand(3, 4))
