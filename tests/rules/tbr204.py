"""TBR204: a checkpoint that does not restore the random state, around code that draws."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

PRESERVE = False
_OPTIONS = {"use_reentrant": False, "preserve_rng_state": False}  # error: [TBR204]


class Dropping(nn.Module):
    def __init__(self, rate: float = 0.1) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.drop = nn.Dropout(rate)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(self.fc(x))


class Parent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Dropping()
        self.attention = nn.MultiheadAttention(4, 2, dropout=0.1)
        self.plain = nn.MultiheadAttention(4, 2)
        self.fc = nn.Linear(4, 4)
        self.off = nn.Dropout(0.0)

    def across(self, x: Tensor) -> Tensor:
        return torch.tanh(self.inner(x))

    def attends(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x)[0]

    def noisy(self, x: Tensor) -> Tensor:
        return self.fc(x) + torch.randn_like(x) * 0.1

    def functional(self, x: Tensor) -> Tensor:
        return F.dropout(self.fc(x), 0.1, self.training)

    def without(self, x: Tensor) -> Tensor:
        x = F.dropout(self.off(self.fc(x)), 0.0, self.training)
        return F.dropout(x, 0.1, training=False) + self.plain(x, x, x)[0]

    def forward(self, x: Tensor) -> Tensor:
        x = checkpoint(self.across, x, use_reentrant=False, preserve_rng_state=False)  # error: [TBR204] "self.drop"
        x = checkpoint(self.attends, x, use_reentrant=False, preserve_rng_state=PRESERVE)  # error: [TBR204] "self.attention"
        x = checkpoint(self.noisy, x, preserve_rng_state=False, use_reentrant=False)  # error: [TBR204] "torch.randn_like"
        x = checkpoint(self.functional, x, **_OPTIONS)
        x = checkpoint(self.attends, x, use_reentrant=False, preserve_rng_state=False)  # error: [TBR204]
        x = checkpoint(self.without, x, use_reentrant=False, preserve_rng_state=False)  # ok: [TBR204] nothing draws
        x = checkpoint(self.fc, x, use_reentrant=False, preserve_rng_state=False)  # ok: [TBR204] nothing draws
        x = checkpoint(self.noisy, x, use_reentrant=False, preserve_rng_state=True)  # ok: [TBR204] restored
        return checkpoint(self.noisy, x, use_reentrant=False)  # ok: [TBR204] restored by default


def wrapped(model: Parent) -> nn.Module:
    keep = False
    return checkpoint_wrapper(model.inner, preserve_rng_state=keep)  # error: [TBR204]


def chained(x: Tensor) -> Tensor:
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 4))
    x = checkpoint_sequential(net, 2, x, use_reentrant=False, preserve_rng_state=False)  # ok: [TBR204] last segment
    return checkpoint_sequential(net, 3, x, use_reentrant=False, preserve_rng_state=False)  # error: [TBR204]


def evaluated(x: Tensor) -> Tensor:
    drop = nn.Dropout(0.1)
    drop.eval()
    return checkpoint(drop, x, use_reentrant=False, preserve_rng_state=False)  # ok: [TBR204] draws in training alone


def by_partial(block: Dropping, x: Tensor) -> Tensor:
    run = partial(checkpoint, use_reentrant=False, preserve_rng_state=False)  # error: [TBR204]
    return run(block, x)


@torch.no_grad()
def evaluated(block: Dropping, x: Tensor) -> Tensor:
    return checkpoint(block, x, use_reentrant=False, preserve_rng_state=False)  # ok: [TBR204] nothing is recomputed


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.single = nn.LSTM(4, 4, dropout=0.3)
        self.stacked = nn.GRU(4, 4, 2, dropout=0.3)

    def forward(self, x: Tensor) -> Tensor:
        x, _ = checkpoint(self.single, x, use_reentrant=False, preserve_rng_state=False)  # ok: [TBR204] one layer drops nothing
        return checkpoint(self.stacked, x, use_reentrant=False, preserve_rng_state=False)[0]  # error: [TBR204]
