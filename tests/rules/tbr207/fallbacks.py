"""Functions and layers with handlers, which another file checkpoints."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn


def attempted(first: nn.Module, second: nn.Module, x: Tensor) -> Tensor:
    try:
        return first(x).sin()
    except Exception:
        return second(x)


def narrowly(first: nn.Module, second: nn.Module, x: Tensor) -> Tensor:
    try:
        return first(x).sin()
    except ValueError:
        return second(x)


def parsed(text: str) -> int:
    try:
        return int(text)
    except Exception:
        return 0


def guarded(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    try:
        return function(x)
    except Exception:
        return x.cos()


class Falling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fast = nn.Linear(4, 4)
        self.slow = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        try:
            return self.fast(x).sin()
        except Exception:
            return self.slow(x)


class Strict(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fast = nn.Linear(4, 4)
        self.slow = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        try:
            return self.fast(x).sin()
        except NotImplementedError:
            return self.slow(x)
