"""DDP searches for unused parameters, so every reentrant checkpoint marks its parameters a second time."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        for layer in self.layers:
            h = checkpoint(layer, h, use_reentrant=True)  # error: [TBR508]
        return h


class Safe(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.layer, self.stem(x), use_reentrant=False)  # ok: [TBR508] not reentrant


def train(tower: Tower, safe: Safe, batches: list[torch.Tensor]) -> None:
    first, second = DDP(tower, find_unused_parameters=True), DDP(safe, find_unused_parameters=True)
    for x in batches:
        first(x).sum().backward()
        second(x).sum().backward()
