"""The checkpoint call is handed a module of another file."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .dropped import Dropped, Jittered, Kept, coin


class Stack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Dropped() for _ in range(3))
        self.jittered = Jittered()
        self.last = Kept()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)  # error: [TBR203]
        x = checkpoint(self.jittered, x, use_reentrant=False)  # error: [TBR203] "enters the result"
        return checkpoint(self.last, x, coin(0.5), use_reentrant=False)  # ok: [TBR203] tossed outside, handed in
