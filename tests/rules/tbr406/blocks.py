"""Checkpoint calls with a `context_fn` of the file beside this one."""

from __future__ import annotations

import functools

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .contexts import KEPT, both, keep_matmuls, named, single


def wrong(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    x = checkpoint(block, x, use_reentrant=False, context_fn=KEPT)  # error: [TBR406]
    x = checkpoint(block, x, use_reentrant=False, context_fn=named)  # error: [TBR406]
    x = checkpoint(block, x, use_reentrant=False, context_fn=single)  # error: [TBR406]
    return checkpoint(block, x, use_reentrant=False, context_fn=keep_matmuls, debug=True)  # error: [TBR406]


def right(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    bound = functools.partial(named, "a")
    x = checkpoint(block, x, use_reentrant=False, context_fn=keep_matmuls)  # ok: [TBR406] it builds the pair
    x = checkpoint(block, x, use_reentrant=False, context_fn=bound)  # ok: [TBR406] its argument is bound
    return checkpoint(block, x, use_reentrant=False, context_fn=both)  # ok: [TBR406] a pair
