"""Helpers that a checkpointed region of another file calls."""

from torch import Tensor


def is_open(x: Tensor, threshold: float = 0.0) -> bool:
    return bool(x.mean() > threshold)


def enabled(level: int) -> bool:
    return level > 0


def damped(x: Tensor, limit: float = 1.0) -> Tensor:
    if x.norm() > limit:  # error: [TBR101]  # note: "decided here"
        x = x / x.norm()
    return x


def scaled(x: Tensor, factor: float = 1.0) -> Tensor:
    if factor != 1.0:  # ok: [TBR101] a number
        x = x * factor
    return x


class Router:
    def __init__(self, limit: float) -> None:
        self.limit = limit

    def route(self, x: Tensor) -> Tensor:
        return self._pick(x)

    def _pick(self, x: Tensor) -> Tensor:
        return x.sin() if x.std() > self.limit else x.cos()  # error: [TBR101]  # note: "decided here"
