"""The ways in which a backend is chosen around a compiled call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel


@torch.compile
def stacked(q: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, q, q)


@torch.compile
def managed(q: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, q, q)


@torch.compile
def decorated(q: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, q, q)


@torch.compile
def switched(q: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, q, q)


@torch.compile
def always(q: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, q, q)


def by_stack(q: Tensor) -> Tensor:
    first = stacked(q)
    with ExitStack() as stack:
        stack.enter_context(sdpa_kernel(SDPBackend.MATH))  # error: [TBR309]
        return first + stacked(q)


@contextmanager
def exact() -> Iterator[None]:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR309]
        yield


def by_manager(q: Tensor) -> Tensor:
    first = managed(q)
    with exact():
        return first + managed(q)


@sdpa_kernel(SDPBackend.MATH)  # error: [TBR309]
def under_decorator(q: Tensor) -> Tensor:
    return decorated(q)


def by_decorator(q: Tensor) -> Tensor:
    return decorated(q) + under_decorator(q)


def by_switch(q: Tensor) -> Tensor:
    first = switched(q)
    torch.backends.cuda.enable_flash_sdp(False)  # error: [TBR309]
    second = switched(q)
    torch.backends.cuda.enable_flash_sdp(True)
    return first + second


def one_backend(q: Tensor) -> Tensor:
    with exact():  # ok: [TBR309] always the same
        first = always(q)
    with exact():
        return first + always(q)
