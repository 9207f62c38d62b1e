"""Nothing is marked twice: no search, one run, or a static graph."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        for _ in range(2):
            h = checkpoint(self.layer, h, use_reentrant=True)  # ok: [TBR508] the graph is static
        return h


class Once(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.layer, self.stem(x), use_reentrant=True)  # ok: [TBR508] one run, no search


def train(x: torch.Tensor) -> None:
    DDP(Tower(), find_unused_parameters=True, static_graph=True)(x).sum().backward()
    DDP(Once())(x).sum().backward()
