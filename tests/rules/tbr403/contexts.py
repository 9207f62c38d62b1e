"""Pairs of contexts for the checkpoints of another file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import create_selective_checkpoint_contexts

Pair = tuple[AbstractContextManager[None], AbstractContextManager[None]]

KEPT = create_selective_checkpoint_contexts([torch.ops.aten.bmm.default])


def shared() -> Pair:
    scope = sdpa_kernel(SDPBackend.MATH)
    return scope, scope


def fresh() -> Pair:
    return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)


def contexts_of(scope: AbstractContextManager[None]) -> Callable[[], Pair]:
    return lambda: (scope, scope)


def fresh_of(backend: SDPBackend) -> Callable[[], Pair]:
    return lambda: (sdpa_kernel(backend), sdpa_kernel(backend))
