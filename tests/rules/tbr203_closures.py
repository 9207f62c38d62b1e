"""Draws and readings that a checkpointed function closes over: made before it runs, or by itself."""

from __future__ import annotations

import random

from torch import Tensor
from torch.utils.checkpoint import checkpoint


def drawn_before(x: Tensor) -> Tensor:
    keep = random.random() < 0.5
    scale = random.uniform(0.5, 1.5)

    def region(h: Tensor) -> Tensor:
        h = h.cos() * scale  # ok: [TBR203] drawn before the region
        return h.sin() if keep else h  # ok: [TBR203] tossed before the region

    return checkpoint(region, x, use_reentrant=False)


def read_before(x: Tensor) -> Tensor:
    large = x.norm().item() > 1
    return checkpoint(lambda h: h.sin() if large else h.cos(), x, use_reentrant=False)  # ok: [TBR201] read before


def drawn_within(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        keep = random.random() < 0.5

        def inner(y: Tensor) -> Tensor:
            return y.sin() if keep else y  # error: [TBR203]

        return inner(h.cos()).exp()

    return checkpoint(region, x, use_reentrant=False)


def read_within(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        large = h.norm().item() > 1

        def inner(y: Tensor) -> Tensor:
            return y.sin() if large else y  # error: [TBR201]

        return inner(h.cos()).exp()

    return checkpoint(region, x, use_reentrant=False)


def given(x: Tensor, keep: bool) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return h.sin() if keep else h  # ok: [TBR203] tossed by the caller

    return checkpoint(region, x, use_reentrant=False)


def gives(x: Tensor) -> Tensor:
    return given(x, random.random() < 0.5)
