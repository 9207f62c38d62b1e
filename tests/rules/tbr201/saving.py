"""Wrappers by which another file checkpoints."""

import functools
from collections.abc import Callable
from typing import Any

from torch import nn
from torch.utils.checkpoint import checkpoint


def recomputed(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return checkpoint(function, *args, use_reentrant=False)

    return wrapper


def recomputed_if(enabled: bool) -> Callable[..., Any]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return recomputed(function) if enabled else function

    return decorate


def run_block(function: Callable[..., Any], *args: Any, enabled: bool = True) -> Any:
    if not enabled:
        return function(*args)

    def region(*inputs: Any) -> Any:
        return function(*inputs)

    return checkpoint(region, *args, use_reentrant=False)


class Saving(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args: Any) -> Any:
        return checkpoint(self.inner, *args, use_reentrant=False)


def timed(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)
