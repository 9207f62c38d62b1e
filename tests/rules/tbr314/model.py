"""Checkpoints, and compiles, what the file beside this one holds."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .blocks import Block, block, chosen, fast, selective


class Inside(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = torch.compile(Block())

    def forward(self, x: Tensor) -> Tensor:
        x = checkpoint(self.block, x, use_reentrant=False, context_fn=selective)  # error: [TBR314] "policy"
        x = checkpoint(fast, x, use_reentrant=False, context_fn=selective)  # error: [TBR314] "policy"
        x = checkpoint(self.block, x, use_reentrant=False)  # ok: [TBR314] compiled code in a checkpoint is fine
        return checkpoint(block, x, use_reentrant=False, context_fn=selective)  # ok: [TBR314] not compiled


class Lenient(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(chosen, x, use_reentrant=False)  # error: [TBR314] "`torch.cond`"


lenient = torch.compile(Lenient())
