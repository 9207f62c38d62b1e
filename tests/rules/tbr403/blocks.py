"""Checkpoint calls with a `context_fn` of the file beside this one."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

from .contexts import KEPT, contexts_of, fresh, fresh_of, shared


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


def one_object(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=shared)  # error: [TBR403]


def by_factory(x: torch.Tensor) -> torch.Tensor:
    contexts = contexts_of(sdpa_kernel(SDPBackend.MATH))
    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts)  # error: [TBR403]


def built_with_the_module(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: KEPT)  # error: [TBR403]


def two_objects(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=fresh)  # ok: [TBR403] two new objects a call


def two_by_factory(x: torch.Tensor) -> torch.Tensor:
    contexts = fresh_of(SDPBackend.MATH)
    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts)  # ok: [TBR403] new each time
