# options: --tbr-enable=TBR211
"""The checkpoint calls; the blocks are in the file beside this one."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .blocks import Grouped, Normed, stage


class Trunk(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Normed() for _ in range(2))
        self.stage = stage(2)
        self.grouped = Grouped()
        self.last = Normed()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)  # error: [TBR211]
        x = checkpoint(self.stage, x, use_reentrant=False)  # error: [TBR211]
        x = checkpoint(self.grouped, x, use_reentrant=False)  # ok: [TBR211] no running statistics
        return self.last(x)  # ok: [TBR211] not checkpointed
