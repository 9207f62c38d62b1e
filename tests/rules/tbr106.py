# options: --tbr-enable=TBR103
"""TBR106: a decision on a value that flows out of a nondeterministic operator."""

import torch
from torch import Tensor, nn


# --- the operator is near, in place, behind a call, behind a number -------------------------------
def near(x: Tensor, index: Tensor) -> Tensor:
    if x.index_add(0, index, x).norm() > 1:  # error: [TBR106] "`index_add`"
        x = x / 2
    return x


def in_place(messages: Tensor, index: Tensor, n: int) -> Tensor:
    total = torch.zeros(n, device=messages.device)
    total.scatter_add_(0, index, messages)
    if total.max() > 1:  # error: [TBR106] "`scatter_add_`"
        total = total.clamp(max=1)
    return total


def pooled(x: Tensor, index: Tensor) -> Tensor:
    return torch.zeros_like(x).scatter_reduce(0, index, x, reduce="mean")


class Pool(nn.Module):
    def forward(self, x: Tensor, index: Tensor) -> Tensor:
        out = pooled(x, index)
        if out.abs().max() > 10:  # error: [TBR106] "`scatter_reduce`"
            out = out.clamp(-10, 10)
        return out


def count_passes(weights: Tensor, index: Tensor, limit: float) -> int:
    mass = torch.bincount(index, weights=weights)
    top = mass.max().item()
    if top > limit:  # error: [TBR106] "`bincount`"
        return 1
    return 0


def until_covered(p: Tensor) -> Tensor:
    while p.softmax(-1).cumsum(-1)[-2] < 0.9:  # error: [TBR106] "`cumsum`"
        p = p * 1.1
    return p


def lengths(sizes: Tensor, x: Tensor) -> Tensor:
    if sizes.cumsum(0)[-1] > 4:  # error: [TBR101]
        # ok: [TBR106] nothing says that these are no whole numbers
        x = x * 2
    return x


# --- another code, or none ------------------------------------------------------------------------
def maximum(x: Tensor, index: Tensor) -> Tensor:
    best = torch.zeros_like(x).scatter_reduce(0, index, x, reduce="amax")
    if best.max() > 1:  # error: [TBR101]
        # ok: [TBR106] a maximum does not depend on the order
        best = best.clamp(max=1)
    return best


def counted(x: Tensor, index: Tensor) -> Tensor:
    hits = torch.zeros(4, dtype=torch.long)
    hits.scatter_add_(0, index, torch.ones_like(index))
    if hits.max() > 1:  # error: [TBR101]
        # ok: [TBR106] whole numbers
        x = x * 2
    return x


def positions(mask: Tensor, x: Tensor) -> Tensor:
    steps = (mask != 0).cumsum(-1)
    if steps.max() > 3:  # error: [TBR101]
        # ok: [TBR106] whole numbers
        x = x * 2
    return x


def counted_occurrences(x: Tensor, index: Tensor) -> Tensor:
    if torch.bincount(index).max() > 2:  # error: [TBR101]
        # ok: [TBR106] counts without weights
        x = x * 2
    return x


def overwritten(x: Tensor, index: Tensor, values: Tensor) -> Tensor:
    y = x.index_put((index,), values)
    if y.sum() > 2:  # error: [TBR101]
        # ok: [TBR106] nothing is accumulated
        y = y * 2
    return y


def logged(x: Tensor, index: Tensor) -> Tensor:
    out = x.index_add(0, index, x)
    if out.max() > 3:  # ok: [TBR106] only a log
        print("large")
    return out
