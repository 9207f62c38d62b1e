"""Hands flags by position to what the file beside this one holds."""

from torch import Tensor
from torch.utils.checkpoint import checkpoint

from . import blocks
from .blocks import Block, Causal, double


def flags(block: Block, causal: Causal, x: Tensor) -> Tensor:
    x = checkpoint(double, x, True, use_reentrant=False)  # error: [TBR507]
    x = checkpoint(block, x, False, use_reentrant=False)  # error: [TBR507]
    x = checkpoint(blocks.variadic, x, True, use_reentrant=False)  # ok: [TBR507] the other file's takes any number
    return checkpoint(causal, x, True, use_reentrant=False)  # ok: [TBR507] the other file's module has such a parameter
