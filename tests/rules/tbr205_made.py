"""TBR205 in regions that a file makes by its own means, and of caches that a library grows."""

import functools
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from transformers import DynamicCache

HISTORY: list[float] = []


class Recomputed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, run, *args):
        ctx.run = run  # ok: [TBR205] the context of one call
        ctx.save_for_backward(*args)
        with torch.no_grad():
            return run(*args)

    @staticmethod
    def backward(ctx, grad):
        args = [a.detach().requires_grad_() for a in ctx.saved_tensors]
        with torch.enable_grad():
            out = ctx.run(*args)
        torch.autograd.backward(out, grad)
        return (None, *[a.grad for a in args])


def recomputed(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return checkpoint(function, *args, use_reentrant=False, **kwargs)

    return inner


@dataclass
class Notes:
    count: int = 0
    seen: set = field(default_factory=set)


class Block(nn.Module):
    def __init__(self, index: int = 0) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.index = index
        self.calls = 0
        self.total = 0

    def by_hand(self, x: Tensor) -> Tensor:
        self.calls += 1  # error: [TBR205]
        HISTORY.append(float(x.detach().mean()))  # ok: [TBR205] telemetry that nothing here reads
        return torch.tanh(self.fc(x))

    @recomputed
    def decorated(self, x: Tensor, notes: Notes) -> Tensor:
        notes.count += 1  # error: [TBR205]
        notes.seen.add(self.index)  # ok: [TBR205] a set holds it once
        return torch.tanh(self.fc(x) * notes.count)

    def cached(self, x: Tensor, past: DynamicCache | None) -> Tensor:
        k = v = self.fc(x)
        if past is not None:
            k, v = past.update(k, v, self.index)  # error: [TBR205]
        return torch.softmax(x @ k.transpose(1, 2), -1) @ v

    def forward(self, x: Tensor, notes: Notes) -> Tensor:
        self.total += 1  # ok: [TBR205] outside of the regions
        x = Recomputed.apply(self.by_hand, x)
        x = self.decorated(x, notes)
        return checkpoint(self.cached, x, DynamicCache(), use_reentrant=False)
