"""Scopes of a kernel that another file opens for its users."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel


@contextmanager
def slow() -> Iterator[None]:
    with sdpa_kernel(SDPBackend.MATH):
        yield


def slowly(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    @functools.wraps(function)
    def inner(x: torch.Tensor) -> torch.Tensor:
        with sdpa_kernel(SDPBackend.MATH):
            return function(x)

    return inner


def counted(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    @functools.wraps(function)
    def inner(x: torch.Tensor) -> torch.Tensor:
        with sdpa_kernel(SDPBackend.MATH):
            torch.ones(1)
        return function(x)

    return inner
