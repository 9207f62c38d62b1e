"""TBR101 where the value reaches the branch by way of Python's own forms of binding."""

import contextlib
import functools
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn


# --- walrus, unpacking, augmented assignment, rebinding -------------------------------------------
def walrus(x: Tensor) -> Tensor:
    if (size := x.norm()) > 1:  # error: [TBR101]
        x = x / size
    return x


def unpacked(x: Tensor) -> Tensor:
    (low, high), count = (x.min().item(), x.max().item()), 3
    if high > 1.0:  # error: [TBR101]
        x = x - high
    if count > 2:  # ok: [TBR101] the other element of the same assignment
        x = x * low
    return x


def starred(x: Tensor) -> Tensor:
    first, *others = x.tolist()
    if first > 0:  # error: [TBR101]
        x = x.sqrt()
    if others and others[-1] > 0:  # error: [TBR101]
        x = x.log()
    return x


def accumulated(parts: list[Tensor]) -> Tensor:
    total = 0.0
    for part in parts:
        total += part.abs().sum().item()
    stacked = torch.stack(parts)
    if total > 10.0:  # error: [TBR101]
        stacked = stacked / total
    return stacked


def rebound(x: Tensor) -> Tensor:
    peak = x.max().item()
    peak = 2.0
    if peak > 1.0:  # ok: [TBR101] the reading was overwritten
        x = x / peak
    return x


def deleted_and_new(x: Tensor, limit: float) -> Tensor:
    peak = x.max()
    del peak
    peak = limit
    if peak > 1.0:  # ok: [TBR101] another binding of the same name
        x = x * peak
    return x


def one_way(x: Tensor, adaptive: bool) -> Tensor:
    limit = 1.0
    if adaptive:
        limit = x.detach().std().item()
    if limit > 0.5:  # error: [TBR101]
        x = x * limit
    return x


# --- containers -----------------------------------------------------------------------------------
def in_a_dict(x: Tensor) -> Tensor:
    stats = {"peak": x.max().item(), "name": "x"}
    if stats["peak"] > 1.0:  # error: [TBR101]
        x = x / 2
    if stats["name"] == "x":  # ok: [TBR101] the other key
        x = x * 2
    return x


def list_of_tensors(parts: list[Tensor]) -> Tensor:
    kept: list[Tensor] = []
    for part in parts:
        kept.append(part.relu())
    if not kept:  # ok: [TBR101] truthiness of a list of tensors is its length
        return torch.zeros(1)
    if len(kept) > 2:  # ok: [TBR101] a Python length
        return torch.stack(kept[:2]) * 2
    return torch.stack(kept)


class Stats(NamedTuple):
    peak: float
    steps: int


@dataclass
class Limits:
    floor: float = 0.0
    seen: list = field(default_factory=list)
    level: Tensor | None = None

    @property
    def exceeded(self) -> bool:
        return self.level is not None and bool(self.level > self.floor)

    @property
    def strict(self) -> bool:
        return self.floor > 0


def measured(x: Tensor) -> Stats:
    return Stats(peak=x.max().item(), steps=3)


def by_field(x: Tensor, limits: Limits) -> Tensor:
    stats = measured(x)
    if stats.peak > 1.0:  # error: [TBR101]
        x = x / 2
    if stats.steps > 2:  # ok: [TBR101] the other field
        x = x * 2
    limits.level = x.std()
    if limits.exceeded:  # error: [TBR101]
        x = x * 0.5
    if limits.strict:  # ok: [TBR101] a property over Python state
        x = x + limits.floor
    return x


# --- closures, lambdas, partial, decorators -------------------------------------------------------
def closure(x: Tensor) -> Tensor:
    peak = x.max()

    def scaled(y: Tensor) -> Tensor:
        if peak > 1:  # error: [TBR101]
            y = y / peak
        return y

    return scaled(x)


def lambdas(x: Tensor) -> Tensor:
    is_big = lambda t: t.norm() > 1  # noqa: E731
    return x / 2 if is_big(x) else x  # error: [TBR101]


def above(limit: float, t: Tensor) -> bool:
    return bool(t.mean() > limit)


above_one = partial(above, 1.0)


def through_partial(x: Tensor) -> Tensor:
    if above_one(x):  # error: [TBR101]
        x = x - 1
    return x


def noted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@noted
def is_flat(t: Tensor) -> bool:
    return t.std().item() < 1e-6


@functools.lru_cache(maxsize=None)
def configured(name: str) -> bool:
    return name == "flat"


def through_decorator(x: Tensor) -> Tensor:
    if is_flat(x):  # error: [TBR101]
        x = x + torch.ones_like(x)
    if configured("flat"):  # ok: [TBR101] decorated too, but it reads no tensor
        x = x * 2
    return x


# --- modules --------------------------------------------------------------------------------------
class Gate(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sigmoid().mean()


class Stack(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.GELU())
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        self.gates = nn.ModuleList([Gate() for _ in range(depth)])
        self.heads = nn.ModuleDict({"main": nn.Linear(4, 4)})
        self.alpha = nn.Parameter(torch.zeros(()))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long), persistent=False)

    @staticmethod
    def confident(logits: Tensor) -> bool:
        return logits.softmax(-1).max() > 0.5

    @property
    def warmed_up(self) -> bool:
        return self.seen.item() > 100

    def forward(self, x):
        h = self.body(x)
        if h.mean() > 0:  # error: [TBR101]
            h = h.neg()
        for layer, gate in zip(self.layers, self.gates):
            if gate(h) > 0.5:  # error: [TBR101]
                h = layer(h)
        if "main" in self.heads:  # ok: [TBR101] membership in a ModuleDict
            h = self.heads["main"](h)
        if len(self.layers) > 1:  # ok: [TBR101] length of a ModuleList
            h = h * 2
        if self.alpha > 0:  # error: [TBR101]
            h = h * self.alpha
        if self.confident(h):  # error: [TBR101]
            h = h.detach() + 1
        if self.warmed_up:  # error: [TBR101]
            h = h * 3
        return h


# --- try, with, loops, chained tests --------------------------------------------------------------
def guarded(x: Tensor) -> Tensor:
    try:
        level = x.max()
        y = x.log()
    except RuntimeError:
        level = torch.zeros(())
        y = x
    else:
        if level > 1:  # error: [TBR101]
            y = y * 2
    finally:
        x = x.detach()
    with contextlib.suppress(ValueError):
        if y.min() < 0:  # error: [TBR101]
            y = y.abs()
    return y


def chained(x: Tensor) -> Tensor:
    if 0 < x.sum() < 1:  # error: [TBR101]
        x = x * 10
    if x is not None and x.ndim == 2 and x[0, 0] == 1:  # error: [TBR101]
        x = x + 1
    return x


def isinstance_then_value(x) -> Tensor:
    if not isinstance(x, Tensor):  # ok: [TBR101] a test of the type
        return torch.as_tensor(float(x)) * 2
    if x > 0:  # error: [TBR101]
        return x.sqrt()
    return x


def not_a_tensor_there(x: Tensor | float) -> Tensor:
    if torch.is_tensor(x):
        return x * 2
    if x > 0:  # ok: [TBR101] a float on this path
        return torch.full((2,), x).sqrt()
    return torch.zeros(2)
