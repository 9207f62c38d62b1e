"""A checkpointed block whose predicate is computed in the file beside this one."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .gates import Router, damped, enabled, is_open, scaled


class Block(nn.Module):
    def __init__(self, level: int = 1) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.level = level
        self.router = Router(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.fc(x)
        if is_open(h):  # error: [TBR201]
            h = h.sin()
        if enabled(self.level):  # ok: [TBR201] a helper of the other file that reads no tensor
            h = h.cos()
        h = damped(h)  # error: [TBR201]
        h = scaled(h, 0.5)  # ok: [TBR201] the other file's function decides on a number
        return self.router.route(h)  # error: [TBR201]


class Eager(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return damped(x)  # ok: [TBR201] nobody checkpoints this


def run(block: Block, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False)
