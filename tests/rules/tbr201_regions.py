"""TBR201 where the region is entered or reached by a form that hides it."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
import torch.utils.checkpoint as ckpt
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

save_memory = partial(checkpoint, use_reentrant=False)


# --- home-made wrappers ---------------------------------------------------------------------------
def checkpointed(function):
    @functools.wraps(function)
    def wrapper(*args):
        return checkpoint(function, *args, use_reentrant=False)

    return wrapper


@checkpointed
def decorated(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR201]
        x = x.sin()
    return x.cos()


def maybe_checkpoint(function: Callable, *args, enabled: bool = True):
    if enabled and torch.is_grad_enabled():
        return ckpt.checkpoint(function, *args, use_reentrant=False)
    return function(*args)


def handed_on(x: Tensor) -> Tensor:
    if x.max() > 1:  # error: [TBR201]
        x = x / x.max()
    return x.sin()


def run_handed_on(x: Tensor) -> Tensor:
    return maybe_checkpoint(handed_on, x)


def by_alias(x: Tensor) -> Tensor:
    return x.sin() if x.mean() > 0 else x.cos()  # error: [TBR201]


def run_alias(x: Tensor) -> Tensor:
    return save_memory(by_alias, x)


class CheckpointModule(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args):
        return checkpoint(self.inner, *args, use_reentrant=False)


class Held(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.min() < 0:  # error: [TBR201]
            x = x.abs()
        return x.sin()


held = CheckpointModule(Held())


# --- the callable is made, chosen, bound ----------------------------------------------------------
def custom_forward(layers: list[nn.Module], scale: Tensor):
    def forward(h: Tensor) -> Tensor:
        for layer in layers:
            h = layer(h)
        if scale.item() > 1:  # error: [TBR201]
            h = h * scale
        return h

    return forward


def run_made(layers: list[nn.Module], x: Tensor, scale: Tensor) -> Tensor:
    return checkpoint(custom_forward(layers, scale), x, use_reentrant=False)


class Base(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        h = self.fc(x)
        if h.norm() > 1:  # error: [TBR201]
            h = h / h.norm()
        return self.finish(h)

    def finish(self, h: Tensor) -> Tensor:
        return h


class Derived(Base):
    def finish(self, h: Tensor) -> Tensor:
        if h.sum() > 0:  # error: [TBR201]
            h = h.sin()
        return h

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * 2


def run_bound(block: Derived, x: Tensor) -> Tensor:
    return checkpoint(block.__call__, x, use_reentrant=False)


class Clamp:
    def __init__(self, limit: float) -> None:
        self.limit = limit

    def __call__(self, x: Tensor) -> Tensor:
        if torch.any(x > self.limit):  # error: [TBR201]
            x = x.clamp(max=self.limit)
        return x.sin()


def run_callable(x: Tensor) -> Tensor:
    return checkpoint(Clamp(2.0), x, use_reentrant=False)


class Chosen(nn.Module):
    def __init__(self, use_checkpoint: bool = True) -> None:
        super().__init__()
        self.use_checkpoint = use_checkpoint
        self.fc = nn.Linear(4, 4)

    @staticmethod
    def activate(h: Tensor) -> Tensor:
        return h.tanh() if h.std() > 1 else h.sin()  # error: [TBR201]

    def _inner(self, x):
        return self.activate(self.fc(x))

    def forward(self, x):
        if self.use_checkpoint and self.training:
            return checkpoint(self._inner, x, use_reentrant=False)
        return self._inner(x)


# --- Python's own control flow inside of the region -----------------------------------------------
@dataclass
class Limits:
    low: float
    level: Tensor

    @property
    def high(self) -> bool:
        return bool(self.level > self.low)


def busy(x: Tensor, limits: Limits) -> Tensor:
    try:
        if (peak := x.max()) > 1:  # error: [TBR201]
            x = x / peak
    except ValueError:
        x = x * 2
    finally:
        x = x.sin()
    match x.argmax().item():  # error: [TBR201]
        case 0:
            x = x.cos()
        case _:
            x = x.tanh()
    if limits.high:  # error: [TBR201]
        x = x * 2
    kept = [row.sin() for row in x if row.sum() > 0]  # error: [TBR201]
    return torch.stack([x[0], *kept]).sum(0)


def run_busy(x: Tensor, level: Tensor) -> Tensor:
    return checkpoint(busy, x, Limits(0.5, level), use_reentrant=False)


def descend(x: Tensor, depth: int) -> Tensor:
    if depth == 0:  # ok: [TBR201] an int
        return x
    if x.sum() > 0:  # error: [TBR201]
        x = x.sin()
    return descend(x.cos(), depth - 1)


def run_descend(x: Tensor) -> Tensor:
    return checkpoint(descend, x, 3, use_reentrant=False)


# --- tempting, and rightly silent -----------------------------------------------------------------
def plainly_called(x: Tensor) -> Tensor:
    return maybe_not_checkpointed(x)


def maybe_not_checkpointed(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR101]
        x = x.sin()
    return x


def checkpoint_of_a_result(x: Tensor) -> Tensor:
    y = plainly_called(x)  # ok: [TBR201] called outside, only its result goes into the region
    return checkpoint(torch.cos, y, use_reentrant=False)


class Twin(nn.Module):
    def _inner(self, x: Tensor) -> Tensor:
        if x.mean() > 0:  # error: [TBR101]
            x = x.sin()
        return x

    def forward(self, x: Tensor) -> Tensor:
        return self._inner(x)  # ok: [TBR201] a method named like the checkpointed one of another class


def save(checkpoint: dict, x: Tensor) -> Tensor:
    if checkpoint["loss"] > 1.0:  # ok: [TBR201] a dict that is named checkpoint
        x = x * 2
    return x


class Scattered(nn.Module):
    """The advice is for rounds where rounds are decided."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x: Tensor, owner: Tensor) -> Tensor:
        out = torch.zeros_like(x)
        for i, part in enumerate(self.parts):
            mine = owner == i
            if not mine.any():  # error: [TBR201] "; run every round"
                continue
            out = out + part(x) * mine[:, None]
        for part in self.parts:
            if out.norm() > 3:  # error: [TBR201] "; use a fixed number of rounds"
                break
            out = part(out)
        return out


def scattered(module: Scattered, x: Tensor, owner: Tensor) -> Tensor:
    return checkpoint(module, x, owner, use_reentrant=False)
