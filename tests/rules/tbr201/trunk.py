"""A checkpointed block whose predicate is computed in the file beside this one."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .gates import enabled, is_open


class Block(nn.Module):
    def __init__(self, level: int = 1) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.level = level

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.fc(x)
        if is_open(h):  # error: [TBR201]
            h = h.sin()
        if enabled(self.level):  # ok: [TBR201] a helper of the other file that reads no tensor
            h = h.cos()
        return h


def run(block: Block, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False)
