"""Checkpointed layers that ask the caches of the file beside this one."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .tables import Fixed, Learned, Remembering, mixed, positions, shifted, unsaved


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.learned = Learned()
        self.fixed = Fixed()
        self.remembering = Remembering()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.fc(x)
        h = h * self.learned.table()  # error: [TBR209]
        h = h * self.remembering.scale(4)  # error: [TBR209]
        h = h * self.fixed.table()  # ok: [TBR209] a table of constants
        h = h * positions(4)  # ok: [TBR209] remembers constants
        return h.sin()


class Trunk(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer()
        self.learned = Learned()
        self.outside = Learned()
        self.fixed = Fixed()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x * self.outside.table()  # ok: [TBR209] asked outside of the regions
        x = checkpoint(self.layer, x, use_reentrant=False)
        x = checkpoint(self.learned, x, use_reentrant=False)  # ok: [TBR209] this cache is told of above
        return checkpoint(self.fixed, x, use_reentrant=False)  # ok: [TBR209] a table of constants


def run(x: torch.Tensor) -> torch.Tensor:
    x = checkpoint(mixed, x, use_reentrant=False)  # error: [TBR209]
    x = checkpoint(unsaved, x, use_reentrant=False)  # ok: [TBR209] doubling saves no tensor: nothing is missing
    x = checkpoint(unsaved, x, use_reentrant=True)  # error: [TBR209] "no gradient"
    return checkpoint(shifted, x, use_reentrant=False)  # ok: [TBR209] the other file remembers constants
