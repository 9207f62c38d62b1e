"""Wrappers by which another file checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.utils.checkpoint import checkpoint


def run(function: Callable[..., Any], *args: Any) -> Any:
    return checkpoint(function, *args, use_reentrant=False)


def bind(layer: Callable[..., Any]) -> Callable[..., Any]:
    return lambda h: layer(h).sin()


def timed(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


class Saver:
    def save(self, function: Callable[..., Any], *args: Any) -> Any:
        return checkpoint(function, *args, use_reentrant=False)
