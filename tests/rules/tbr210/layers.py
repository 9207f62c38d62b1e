# options: --tbr-enable=TBR210
"""Checkpointed layers whose sizes the file beside this one decides."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .routing import Dense, Sparse, chosen, clipped, positive


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.fc = nn.Linear(8, 8)
        self.sparse = Sparse()
        self.dense = Dense()

    def routed(self, x: Tensor) -> Tensor:
        ids = chosen(self.router(x))
        rows = torch.where(ids == 1)[0]  # error: [TBR210]
        return x.index_add(0, rows, torch.tanh(self.fc(x[rows])))

    def kept(self, x: Tensor) -> Tensor:
        return torch.sin(positive(torch.tanh(self.fc(x))))  # error: [TBR210]

    def limited(self, x: Tensor) -> Tensor:
        return torch.sin(clipped(torch.tanh(self.fc(x))))  # ok: [TBR210] values choose, and the size stays

    def forward(self, x: Tensor) -> Tensor:
        x = checkpoint(self.routed, x, use_reentrant=False)
        x = checkpoint(self.kept, x, use_reentrant=False)
        x = checkpoint(self.limited, x, use_reentrant=False)
        x = checkpoint(self.sparse, x, use_reentrant=False)  # error: [TBR210]
        x = checkpoint(self.dense, x, use_reentrant=False)  # ok: [TBR210] a mask that multiplies
        return positive(x)  # ok: [TBR210] outside of the regions
