"""Keywords that a `partial` of `checkpoint` holds, and those of `dict(...)`."""

from __future__ import annotations

import functools

import torch
from torch.utils.checkpoint import checkpoint


def scaled(x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    return x * scale


def held(x: torch.Tensor) -> torch.Tensor:
    x.requires_grad_()
    options = dict(scale=2.0, use_reentrant=True)
    own = dict(preserve_rng_state=False, use_reentrant=True)
    x = checkpoint(scaled, x, **options)  # error: [TBR502] "`scale`"
    x = functools.partial(checkpoint, scaled, use_reentrant=True, scale=2.0)(x)  # error: [TBR502] "`scale`"
    return checkpoint(scaled, x, **own)  # ok: [TBR502] its own
