"""TBR201: a tensor's value decides inside an activation-checkpointed region."""

from functools import partial

import torch
import torch.utils.checkpoint
from torch import Tensor, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


# --- the function handed over ---------------------------------------------------------------------
def cap_norm(x: Tensor) -> Tensor:
    scale = (1.0 / x.norm(dim=-1, keepdim=True)).clamp(max=1.0)
    if (scale < 1.0).any():  # error: [TBR201]
        x = x * scale
    return x.sin()


def run_direct(x: Tensor) -> Tensor:
    return checkpoint(cap_norm, x, use_reentrant=False)


def ternary(x: Tensor, limit: float) -> Tensor:
    peak = x.max().item()
    return x.tanh() if peak > limit else x.sin()  # error: [TBR201]


def run_partial(x: Tensor) -> Tensor:
    return cp.checkpoint(partial(ternary, limit=2.0), x, use_reentrant=False)


def run_nested(x: Tensor, weight: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        if weight.mean() > 0:  # error: [TBR201]
            h = h * weight
        return h.cos()

    return torch.utils.checkpoint.checkpoint(region, x, use_reentrant=False)


def run_lambda(x: Tensor) -> Tensor:
    return checkpoint(lambda h: h.sin() if h.sum() > 0 else h.cos(), x, use_reentrant=False)  # error: [TBR201]


# --- reached through a module, a parent, a wrapper ------------------------------------------------
class Gate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("threshold", torch.zeros(()))

    def is_open(self, x: Tensor) -> bool:
        return bool(x.mean() > self.threshold)

    def forward(self, x: Tensor) -> Tensor:
        if self.is_open(x):  # error: [TBR201]
            return x.sin()
        return x


class Block(nn.Module):
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.gate = Gate()

    def forward(self, x):
        h = self.fc(x)
        while h.norm() > 10:  # error: [TBR201]
            h = h / 2
        return self.gate(h)


class Trunk(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(depth))

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


class Routed(nn.Module):
    def __init__(self, width: int = 4, n_experts: int = 2) -> None:
        super().__init__()
        self.router = nn.Linear(width, n_experts)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(n_experts))

    def forward(self, x: Tensor) -> Tensor:
        best = self.router(x).argmax(-1)  # error: [TBR210]
        out = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            rows = (best == index).nonzero().squeeze(-1)
            if rows.shape[0] == 0:  # error: [TBR201]
                continue
            out = out.index_add(0, rows, expert(x[rows]))
        return out


def wrapped() -> nn.Module:
    return checkpoint_wrapper(Routed())


class Squash(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if torch.any(x.abs() > 5):  # error: [TBR201]
            x = x.tanh() * 5
        return x


def run_sequential(x: Tensor) -> Tensor:
    chain = nn.Sequential(Squash(), nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4))
    return checkpoint_sequential(chain, 2, x, use_reentrant=False)


class OwnCheckpoint(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.run = partial(checkpoint, use_reentrant=False)

    def body(self, x: Tensor) -> Tensor:
        h = self.fc(x)
        if not torch.isfinite(h).all():  # error: [TBR201]
            h = torch.nan_to_num(h).clamp(-1, 1)
        return h.sin()

    def forward(self, x: Tensor) -> Tensor:
        return self.run(self.body, x)


# --- checkpointed and compiled: still this code ---------------------------------------------------
def both(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR201]
        x = x.sin()
    return x.cos()


@torch.compile(backend="eager")
def outer(x: Tensor) -> Tensor:
    return checkpoint(both, x, use_reentrant=False)


# --- tempting, and rightly silent -----------------------------------------------------------------
class Calm(nn.Module):
    def __init__(self, drop: float = 0.1) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.drop = drop
        self.cap_fired = False

    def forward(self, x: Tensor, bias: Tensor | None = None, wide: bool = False) -> Tensor:
        h = self.fc(x)
        if self.training and self.drop > 0:  # ok: [TBR201] Python state that the region leaves alone
            h = nn.functional.dropout(h, self.drop)
        if bias is not None:  # ok: [TBR201] metadata
            h = h + bias
        if wide:  # ok: [TBR201] decided before the region, handed in: the recompute gets the same bool
            h = h * 2
        if torch.rand(()) < self.drop:  # ok: [TBR201] the default generator is replayed
            h = h * 0.5
        scale = (1.0 / h.norm()).clamp(max=1.0)
        self.cap_fired = bool((scale < 1.0).any())  # ok: [TBR201] stored, decides nothing
        return torch.where(h > 0, h, h * 0.1) * scale


def run_calm(block: Calm, x: Tensor) -> Tensor:
    wide = bool(x.abs().max() > 3)
    return checkpoint(block, x, None, wide, use_reentrant=False)


def counted(x: Tensor, count: int, limit: float) -> Tensor:
    if count > 2:  # ok: [TBR201] read before the region, handed in: the recompute gets the same number
        x = x * 2
    for _ in range(count):  # ok: [TBR201] likewise
        x = x.sin()
    return scaled(x, limit)


def scaled(x: Tensor, limit: float) -> Tensor:
    if limit > 1:  # ok: [TBR201] the same, handed on inside of the region
        x = x / limit
    if limit < x.max():  # error: [TBR201]
        x = x.clamp(max=limit)
    peak = x.max().item()
    return x / peak if peak > 1 else x  # error: [TBR201]


def run_counted(x: Tensor) -> Tensor:
    return checkpoint(counted, x, int((x > 0).sum()), x.mean().item(), use_reentrant=False)


def outside(x: Tensor) -> Tensor:
    if x.max() > 10:  # error: [TBR101]
        x = x / 10
    y = checkpoint(torch.sin, x, use_reentrant=False)  # ok: [TBR201] the branches stand before and after the region
    if y.min() < -0.5:  # error: [TBR101]
        y = y * 2
    return y


class NeverCheckpointed(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:  # error: [TBR101]
            x = x.sin()
        return x


class Shadow:
    def checkpoint(self, function, x):
        return function(x)


def another_checkpoint(x: Tensor, shadow: Shadow) -> Tensor:
    return shadow.checkpoint(eager_only, x)  # ok: [TBR201] a method of the same name is not torch's


def eager_only(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR101]
        x = x.sin()
    return x


def drawn_outside(x):  # type: ignore[no-untyped-def]
    if x.sum() > 0:  # error: [TBR201]
        return -x
    return x * torch.rand_like(x).max()


def gives_a_draw() -> Tensor:
    return checkpoint(drawn_outside, torch.randn(3), use_reentrant=False)
