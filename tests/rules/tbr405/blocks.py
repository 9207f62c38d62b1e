"""Checkpoint calls whose options are in the file beside this one."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .options import OPTIONS, QUIET, REENTRANT, contexts, reentrant, saved


def by_constant(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=REENTRANT, context_fn=contexts)  # error: [TBR405]


def by_partial(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return reentrant(block, x, context_fn=contexts)  # error: [TBR405]


def by_options(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, **OPTIONS)  # error: [TBR405]


def not_reentrant(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    x = checkpoint(block, x, **QUIET)  # ok: [TBR405] the other file's options say False
    return saved(block, x, context_fn=contexts)  # ok: [TBR405] the other file's partial says False
