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


MATH, FLASH = SDPBackend.MATH, SDPBackend.FLASH_ATTENTION


def spelled(x: torch.Tensor) -> None:
    # ok: [TBR404] one backend, in a list or not
    a = checkpoint(within, x, use_reentrant=False, context_fn=lambda: (sdpa_kernel(MATH), sdpa_kernel([MATH])))
    # ok: [TBR404] by position or by name
    b = checkpoint(within, x, use_reentrant=False, context_fn=lambda: (sdpa_kernel(MATH), sdpa_kernel(backends=MATH)))
    c = checkpoint(  # ok: [TBR404] the order of the backends is no priority
        within, x, use_reentrant=False, context_fn=lambda: (sdpa_kernel([MATH, FLASH]), sdpa_kernel([FLASH, MATH]))
    )
    d = checkpoint(  # error: [TBR404]
        within,
        x,
        use_reentrant=False,
        context_fn=lambda: (
            sdpa_kernel([MATH, FLASH], set_priority=True),
            sdpa_kernel([FLASH, MATH], set_priority=True),
        ),
    )
    (a + b + c + d).sum().backward()


def inside(x: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel(MATH):
        return within(x)


def settled(x: torch.Tensor) -> None:
    a = checkpoint(inside, x, use_reentrant=False, context_fn=pair)  # ok: [TBR404] the region chooses itself
    a.sum().backward()
