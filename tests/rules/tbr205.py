"""TBR205: a checkpointed region changes state that outlives it, and its recompute changes it again."""

from __future__ import annotations

import collections
import itertools
import queue
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

_TRACKER: dict = {"values": torch.zeros(2), "calls": 0}
_SEEN = 0


# --- counted twice --------------------------------------------------------------------------------
class Counting(nn.Module):
    total = 0

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("ema", torch.zeros(4))
        self.register_buffer("tokens", torch.zeros(4))
        self.steps = 0
        self.counts = collections.Counter()
        self.last: Tensor | None = None
        self.peak = 0.0
        self.width = 0

    def note(self, h: Tensor) -> None:
        self.ema.mul_(0.9).add_(h.detach().mean(0), alpha=0.1)  # error: [TBR205]

    def forward(self, x: Tensor) -> Tensor:
        global _SEEN
        _SEEN += 1  # error: [TBR205]
        Counting.total += 1  # error: [TBR205]
        self.steps += 1  # error: [TBR205] "twice per step"
        self.counts["forward"] += 1  # error: [TBR205]
        _TRACKER["calls"] += 1  # error: [TBR205]
        h = self.fc(x)
        self.note(h)
        self.tokens = self.tokens + (h > 0).sum(0)  # error: [TBR205]
        self.last = h.detach()  # ok: [TBR205] the same again
        self.width = h.shape[-1]  # ok: [TBR205] the same again
        self.peak = max(self.peak, float(h.detach().max()))  # ok: [TBR205] an extreme is the same again
        return torch.tanh(h)


def run_counting(block: Counting, x: Tensor) -> Tensor:
    return checkpoint(block, x, use_reentrant=False)


def track(loss: Tensor, layer: int) -> None:
    _TRACKER["values"][layer] += loss.detach()  # error: [TBR205]


def tracked(x: Tensor, w: Tensor) -> Tensor:
    h = x @ w
    track(h.mean(), 0)
    return h.sin()


def run_tracked(x: Tensor, w: Tensor) -> Tensor:
    return checkpoint(tracked, x, w, use_reentrant=False)


# --- changed and read -----------------------------------------------------------------------------
class Cache:
    def __init__(self) -> None:
        self.keys: Tensor | None = None
        self.values: list[Tensor] = []

    def update(self, k: Tensor) -> Tensor:
        self.keys = k if self.keys is None else torch.cat([self.keys, k], dim=1)  # error: [TBR205]
        return self.keys

    def grow(self, v: Tensor) -> Tensor:
        self.values.append(v)  # error: [TBR205]
        return torch.cat(self.values, dim=1)


class Attending(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.k = nn.Linear(4, 4)
        self.v = nn.Linear(4, 4)

    def forward(self, x: Tensor, past: Cache | None = None) -> Tensor:
        k, v = self.k(x), self.v(x)
        if past is not None:
            k, v = past.update(k), past.grow(v)
        return torch.softmax(x @ k.transpose(1, 2), -1) @ v


def run_cached(layers: list[Attending], x: Tensor) -> Tensor:
    for layer in layers:
        layer = Attending()
        past = Cache()
        x = checkpoint(layer, x, past, use_reentrant=False)
    return x


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.state: Tensor | None = None
        self.shift = torch.zeros(4)

    def forward(self, x: Tensor) -> Tensor:
        state = self.state
        if state is None:
            state = torch.zeros_like(x)
        state = torch.tanh(self.fc(x) + state)
        self.state = state  # error: [TBR205]
        y = state * self.shift
        self.shift = x.detach().mean(0)  # error: [TBR205] "reads"
        return y.sin()


def run_recurrent(block: Recurrent, batches) -> None:
    for x in batches:
        checkpoint(block, x, use_reentrant=False).sum().backward()


class Cell(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(4, 4)
        self.h: Tensor | None = None
        self.mean = torch.zeros(4)

    def forward(self, x: Tensor) -> Tensor:
        if self.h is None:
            self.h = torch.zeros_like(x)
        self.mean = self.mean * 0.5 + x.detach().mean(0) * 0.5  # error: [TBR205] "twice per step"
        self.h = self.cell(x, self.h)  # error: [TBR205] "reads"
        return self.h * 2


def run_cell(block: Cell, x: Tensor) -> None:
    block.h = None
    checkpoint(block, x, use_reentrant=False).sum().backward()


# --- taken from -----------------------------------------------------------------------------------
def run_iterators(layers: list[nn.Linear], x: Tensor) -> Tensor:
    pending = iter(layers)
    generated = (layer for layer in layers)
    todo = list(layers)
    jobs: queue.Queue = queue.Queue()

    def first(h: Tensor) -> Tensor:
        return next(pending)(h).sin()  # error: [TBR205]

    def rest(h: Tensor) -> Tensor:
        for layer in generated:  # error: [TBR205]
            h = layer(h).sin()
        return h

    def popped(h: Tensor) -> Tensor:
        return todo.pop()(h).sin()  # error: [TBR205]

    def queued(h: Tensor) -> Tensor:
        return jobs.get()(h).sin()  # error: [TBR205]

    def handed(h: Tensor, source) -> Tensor:
        for layer in source:  # error: [TBR205]
            h = layer(h).sin()
        return h

    for region in (first, rest, popped, queued):
        x = checkpoint(region, x, use_reentrant=False)
    return checkpoint(handed, x, zip(layers), use_reentrant=False)


# --- arguments ------------------------------------------------------------------------------------
def in_place(h: Tensor, w: Tensor) -> Tensor:
    h += 1  # error: [TBR205] "in place"
    return torch.tanh(h @ w)


def by_method(h: Tensor, w: Tensor) -> Tensor:
    h.mul_(2)  # error: [TBR205] "in place"
    return torch.tanh(h @ w)


def run_arguments(x: Tensor, w: Tensor) -> Tensor:
    x = checkpoint(in_place, x * 1.0, w, use_reentrant=False)
    return checkpoint(by_method, x * 1.0, w, use_reentrant=True)


# --- tempting, and rightly silent -----------------------------------------------------------------
@dataclass
class Scratch:
    parts: list[Tensor] = field(default_factory=list)

    def put(self, h: Tensor) -> None:
        self.parts.append(h)  # ok: [TBR205] of an object that the region makes


class Calm(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        self.table: Tensor | None = None
        self.tables: dict[int, Tensor] = {}
        self.parts: list[Tensor] = []
        self.calls = 0
        self.longest = 0
        self.depth = 0
        self.aux = torch.zeros(())
        self.register_buffer("mask", torch.ones(4))
        self.register_buffer("filled", torch.zeros(8, 4))
        self.after = 0

    def local(self, x: Tensor) -> Tensor:
        scratch = Scratch()
        count = 0
        seen = []
        for layer in self.layers:  # ok: [TBR205] a list can be read twice
            x = layer(x).sin()
            count += 1  # ok: [TBR205] a local
            seen.append(x)  # ok: [TBR205] a local
            scratch.put(x)
        pending = iter(seen)
        total = next(pending)  # ok: [TBR205] an iterator of the region itself
        total = total.clone()
        total += seen.pop()  # ok: [TBR205] a local
        total.mul_(count)  # ok: [TBR205] a tensor of the region itself
        return total.sin()

    def cached(self, x: Tensor) -> Tensor:
        if self.table is None:
            self.table = torch.arange(4.0)  # ok: [TBR205] filled once, with constants
        if x.shape[0] not in self.tables:
            self.tables[x.shape[0]] = torch.arange(x.shape[0])  # ok: [TBR205] filled once
        if x.shape[0] > self.longest:
            self.longest = x.shape[0]  # ok: [TBR205] makes its own test false
        self.mask = self.mask.to(x.device)  # ok: [TBR205] the same again
        self.filled[: x.shape[0]] = x.detach()  # ok: [TBR205] the same again
        return (x * self.table * self.mask).sin()

    def renewed(self, x: Tensor) -> Tensor:
        self.parts = []
        self.aux = x.new_zeros(())
        for layer in self.layers:
            x = layer(x).sin()
            self.parts.append(x)  # ok: [TBR205] begun anew in every run
            self.aux = self.aux + x.mean()  # ok: [TBR205] begun anew in every run
        return x * torch.stack(self.parts).sum(0)

    def balanced(self, x: Tensor) -> Tensor:
        before = self.depth
        self.depth = before + 1  # ok: [TBR205] taken back below
        x = self.layers[0](x).sin()
        self.depth = before  # ok: [TBR205] what it was
        return x

    def guarded(self, x: Tensor) -> Tensor:
        if not self.training:
            self.calls += 1  # ok: [TBR205] nothing is recomputed in evaluation
        return self.layers[0](x).sin()

    def last(self, x: Tensor) -> Tensor:
        y = self.layers[0](x).sin()
        self.after += 1  # ok: [TBR205] the recompute stops before it
        return y + x

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1  # ok: [TBR205] outside of the regions
        for region in (self.local, self.cached, self.renewed, self.balanced, self.guarded, self.last):
            x = checkpoint(region, x, use_reentrant=False)
        return x


class Once(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.seen = 0

    def forward(self, x: Tensor) -> Tensor:
        if torch.is_grad_enabled():
            self.seen += 1  # ok: [TBR205] the reentrant forward runs without gradients
        return self.fc(x).sin()


def run_once(block: Once, x: Tensor) -> Tensor:
    return checkpoint(block, x.requires_grad_(), use_reentrant=True)


def run_uncached(x: Tensor) -> Tensor:
    return checkpoint(Quiet(), x, None, use_reentrant=False)


class Store:
    def __init__(self) -> None:
        self.keys: Tensor | None = None

    def update(self, k: Tensor) -> Tensor:
        self.keys = k if self.keys is None else torch.cat([self.keys, k], dim=1)  # ok: [TBR205] no region is handed a store
        return self.keys


class Quiet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.k = nn.Linear(4, 4)

    def forward(self, x: Tensor, past: Store | None = None) -> Tensor:
        k = self.k(x)
        if past is not None:
            k = past.update(k)
        return torch.softmax(x @ k.transpose(1, 2), -1) @ k


def names() -> list[str]:
    ids = itertools.count()
    return [f"layer{next(ids)}" for _ in range(3)]  # ok: [TBR205] no region
