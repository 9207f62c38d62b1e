"""Python's own sorting and choosing, which asks tensors for their values one comparison at a time."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


def size(t: Tensor) -> Tensor:
    return t.norm()


@torch.compile
def compiled(ts: list[Tensor]) -> Tensor:
    first = sorted(ts)[0]  # error: [TBR304] "decides the order in a compiled region: a graph break"
    longest = max(ts, key=size)  # error: [TBR304] "decides which one is taken"
    ts.sort(key=lambda t: t.sum())  # error: [TBR304]
    largest = max(ts)  # ok: [TBR304] recorded as an operation
    flattest = sorted(ts, key=lambda t: t.ndim)[0]  # ok: [TBR304] metadata
    return first + longest + largest + flattest + ts[0]


@torch.compile
def paired(ts: list[Tensor], names: list[str]) -> Tensor:
    best = max(zip(names, ts, strict=True), key=lambda pair: pair[1].sum())[1]  # error: [TBR304] "decides which one"
    ranked = sorted((t.sum(), place) for place, t in enumerate(ts))  # error: [TBR304] "decides the order"
    least = min([(t.norm(), 1) for t in ts])  # error: [TBR304] "decides which one is taken"
    named = sorted(zip(names, ts, strict=True))  # ok: [TBR304] texts come first
    return best + ranked[0][0] + least[0] + named[0][1]


@torch.compile(fullgraph=True)
def whole(ts: list[Tensor]) -> Tensor:
    return min(ts[0], ts[1], key=size) * 2  # error: [TBR304] "an error with `fullgraph=True`"


class Chosen(nn.Module):
    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        nearest = min([a, b], key=size)  # error: [TBR310]
        return nearest + max(a, b)  # ok: [TBR310] recorded as an operation


class Measured(nn.Module):
    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return sorted((a, b), key=len)[0]  # ok: [TBR310] a size


chosen = torch.export.export(Chosen(), (torch.ones(()), torch.zeros(())))
measured = torch.export.export(Measured(), (torch.ones(2), torch.zeros(3)))


def larger(a: Tensor, b: Tensor) -> Tensor:
    return max(a, b)  # error: [TBR312] "decides which one is taken"


batch = torch.vmap(larger)(torch.ones(3), torch.zeros(3))


def region(a: Tensor, b: Tensor) -> Tensor:
    ordered = sorted([a.sin(), b.cos()])  # error: [TBR201] "decides the order under checkpoint"
    return (ordered[0] * 2 + ordered[1]).exp()


def counted(a: Tensor, b: Tensor) -> Tensor:
    widest = max(a.shape[0], b.shape[0])  # ok: [TBR201] sizes
    return torch.stack([a, b]).sort().values[0] * widest  # ok: [TBR201] one operation


def run(a: Tensor, b: Tensor) -> Tensor:
    return checkpoint(region, a, b, use_reentrant=False) + checkpoint(counted, a, b, use_reentrant=False)


def eager(ts: list[Tensor]) -> Tensor:
    return sorted(ts)[0]  # ok: [TBR304] nobody compiles it
