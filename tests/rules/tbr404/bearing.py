"""Contexts that differ, around regions that they do and do not bear on."""

from __future__ import annotations

from contextlib import nullcontext

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

from tests.rules.tbr401.layers import Gate, within


def pair():
    return sdpa_kernel(SDPBackend.MATH), nullcontext()


def step(gate: Gate, x: torch.Tensor) -> None:
    a = checkpoint(gate, x, use_reentrant=False, context_fn=pair)  # ok: [TBR404] no attention in the region
    b = checkpoint(torch.tanh, x, use_reentrant=False, context_fn=pair)  # ok: [TBR404] the same
    c = checkpoint(within, x, use_reentrant=False, context_fn=pair)  # error: [TBR404]
    (a + b + c).sum().backward()
