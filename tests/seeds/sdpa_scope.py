"""Incident 2: a kernel chosen around the forward of a checkpointed attention, and its three repairs."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v)


def ended_too_soon(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        out = checkpoint(attention, q, k, v, use_reentrant=False)
    out.sum().backward()


def backward_inside(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] first repair
        out = checkpoint(attention, q, k, v, use_reentrant=False)
        out.sum().backward()


def two_contexts(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
    def both():
        return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)

    out = checkpoint(attention, q, k, v, use_reentrant=False, context_fn=both)  # ok: [TBR401] second repair
    out.sum().backward()


def chosen_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] third repair
        return attention(q, k, v)


def inside_the_function(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
    out = checkpoint(chosen_attention, q, k, v, use_reentrant=False)
    out.sum().backward()
