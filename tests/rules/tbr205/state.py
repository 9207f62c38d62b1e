"""Caches, counters and layers that another file checkpoints."""

from __future__ import annotations

import torch
from torch import Tensor, nn

SEEN = {"calls": 0}


class Cache:
    def __init__(self) -> None:
        self.keys: Tensor | None = None

    def update(self, keys: Tensor) -> Tensor:
        self.keys = keys if self.keys is None else torch.cat([self.keys, keys], dim=1)
        return self.keys

    def read(self, keys: Tensor) -> Tensor:
        return keys if self.keys is None else torch.cat([self.keys, keys], dim=1)


def note(amount: int = 1) -> None:
    SEEN["calls"] += amount


def table(size: int) -> dict[str, int]:
    counts = {"calls": 0}
    counts["calls"] += size
    return counts


class Counted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return self.fc(x).sin()


class Uncounted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.width = 0

    def forward(self, x: Tensor) -> Tensor:
        self.width = x.shape[-1]
        return self.fc(x).sin()
