"""A checkpointed block that applies the functions of the file beside this one."""

from __future__ import annotations

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .functions import Cube, Swish


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        h = Swish.apply(self.fc(x))  # error: [TBR212]
        return Cube.apply(h)  # ok: [TBR212] it reads them once


def run(block: Block, x: Tensor) -> Tensor:
    return checkpoint(block, x, use_reentrant=False)


def plain(x: Tensor) -> Tensor:
    return Swish.apply(x)  # ok: [TBR212] not checkpointed
