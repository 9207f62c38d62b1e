"""TBR205: a region changes in place what its checkpoint call hands to it."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


def overwritten(x: torch.Tensor) -> torch.Tensor:
    x.relu_()  # error: [TBR205]
    return x.sin()


def indexed(x: torch.Tensor) -> torch.Tensor:
    x[0] = 0.0  # error: [TBR205]
    return F.relu(x, inplace=True).sin()  # error: [TBR205]


def copied(x: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[0] = 0.0  # ok: [TBR205] a tensor of the region
    return F.relu(x, inplace=True).sin()  # ok: [TBR205] likewise


class Activated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.ReLU(inplace=True)
        self.last = nn.ReLU(inplace=True)
        self.fc = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.fc(self.first(x))  # error: [TBR205]
        return self.last(x)  # ok: [TBR205] what the layer gave


class Chained(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.early = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 3))
        self.late = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = checkpoint(self.early, x, use_reentrant=False)  # error: [TBR205]
        return checkpoint(self.late, x, use_reentrant=False)  # ok: [TBR205] the linear layer's own output


def step(activated: Activated, x: torch.Tensor) -> None:
    x = checkpoint(overwritten, x, use_reentrant=False)
    x = checkpoint(indexed, x, use_reentrant=False)
    x = checkpoint(copied, x, use_reentrant=False)
    checkpoint(activated, x, use_reentrant=False).sum().backward()


def counted(h: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    counts.add_(1)  # error: [TBR205] "backward raises, or changes it again"
    return h.tanh().sin()


def counted_too(h: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    counts.add_(1)  # error: [TBR205] "backward raises; make"
    return h.tanh().sin()


def without_gradient(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    x = checkpoint(counted, x, counts, use_reentrant=True)
    return checkpoint(counted_too, x, counts, use_reentrant=False)
