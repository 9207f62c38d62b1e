"""Segments by numbers and chains of the file beside this one."""

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint_sequential

from . import parts
from .parts import HALVES, SEGMENTS, chain, long_chain


def by_constant(layers: nn.Sequential, x: Tensor) -> Tensor:
    x = checkpoint_sequential(layers, SEGMENTS, x, use_reentrant=False)  # error: [TBR511]
    x = checkpoint_sequential(layers, parts.SEGMENTS, x, use_reentrant=False)  # error: [TBR511]
    return checkpoint_sequential(layers, HALVES, x, use_reentrant=False)  # ok: [TBR511] the other file says two


def by_chain(x: Tensor) -> Tensor:
    x = checkpoint_sequential(chain(), 4, x, use_reentrant=False)  # error: [TBR511]
    x = checkpoint_sequential(chain(), 2, x, use_reentrant=False)  # ok: [TBR511] the other file's chain has two
    return checkpoint_sequential(long_chain(9), 4, x, use_reentrant=False)  # ok: [TBR511] nothing tells its length
