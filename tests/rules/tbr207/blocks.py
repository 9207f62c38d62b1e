"""Checkpoint calls whose regions handle exceptions in the file beside this one."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .fallbacks import Falling, Strict, attempted, guarded, narrowly, parsed


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fast = nn.Linear(4, 4)
        self.slow = nn.Linear(4, 4)
        self.falling = Falling()
        self.strict = Strict()

    def broad(self, x: torch.Tensor) -> torch.Tensor:
        return attempted(self.fast, self.slow, x)  # error: [TBR207]

    def narrow(self, x: torch.Tensor) -> torch.Tensor:
        return narrowly(self.fast, self.slow, x)  # ok: [TBR207] not what ends the recompute

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        return self.fast(x).sin() * parsed("3")  # ok: [TBR207] no tensor is saved in that `try`

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = checkpoint(self.broad, x, use_reentrant=False)
        x = checkpoint(self.narrow, x, use_reentrant=False)
        x = checkpoint(self.scaled, x, use_reentrant=False)
        x = checkpoint(self.falling, x, use_reentrant=False)  # error: [TBR207]
        x = checkpoint(self.strict, x, use_reentrant=False)  # ok: [TBR207] a narrow handler
        return guarded(self.fast, x)  # ok: [TBR207] outside of every region
