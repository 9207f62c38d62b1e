"""Checkpoint calls with a `context_fn` of the file beside this one."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from . import contexts


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


def one_sided(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts.forward_only)  # error: [TBR404]


def two_kernels(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts.other_kernel)  # error: [TBR404]


def one_kernel(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts.alike)  # ok: [TBR404] the same choice twice
