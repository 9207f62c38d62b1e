"""A layer is checkpointed, and called as well."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


class Both(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)
        self.tail = nn.Linear(4, 4)

    def region(self, h: torch.Tensor) -> torch.Tensor:
        return self.tail(h).tanh()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.body(self.stem(x))
        h = checkpoint(self.body, h, use_reentrant=True)  # error: [TBR508] "outside of it"
        h = checkpoint(self.region, h, use_reentrant=True)  # error: [TBR508]
        return self.tail(h)


class Either(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)
        self.tail = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        if not self.training:
            return self.tail(self.body(h))
        with torch.no_grad():
            target = self.body(h)
        h = checkpoint(self.body, h, use_reentrant=True)  # ok: [TBR508] the other calls are on another way, or not recorded
        return checkpoint(self.tail, h, use_reentrant=True) + target  # ok: [TBR508] one of the two runs


def train(x: torch.Tensor) -> None:
    DistributedDataParallel(Both())(x).sum().backward()
    DistributedDataParallel(Either())(x).sum().backward()
