"""Pairs of contexts that choose alike, and that do not."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from torch.nn.attention import SDPBackend, sdpa_kernel

Pair = tuple[AbstractContextManager[None], AbstractContextManager[None]]


def forward_only() -> Pair:
    return sdpa_kernel(SDPBackend.MATH), nullcontext()


def other_kernel() -> Pair:
    return sdpa_kernel(SDPBackend.MATH), exact()


def alike() -> Pair:
    return exact(), exact()


def exact() -> AbstractContextManager[None]:
    return sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION])
