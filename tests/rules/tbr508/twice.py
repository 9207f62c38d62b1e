"""One module runs its reentrant checkpoint several times a step."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


class Shared(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mlp = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.mlp, x, use_reentrant=True)  # error: [TBR508]


class Single(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mlp = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.mlp, x, use_reentrant=True)  # ok: [TBR508] each of its modules runs once


class Pyramid(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.shared = Shared()
        self.singles = nn.ModuleList(Single() for _ in range(2))
        self.tail = nn.Linear(4, 4)

    def forward(self, levels: list[torch.Tensor]) -> torch.Tensor:
        total = torch.zeros(())
        for x in levels:
            h = self.shared(self.stem(x))
            h = checkpoint(self.tail, h, use_reentrant=True)  # error: [TBR508]
            total = total + h.mean()
        h = self.stem(levels[0])
        for single in self.singles:
            h = single(h)
        return total + h.mean()


def train(batches: list[list[torch.Tensor]]) -> None:
    model = DistributedDataParallel(Pyramid())
    for levels in batches:
        model(levels).backward()
