"""Helpers that a compiled function of another file calls."""

from torch import Tensor


def too_big(x: Tensor, limit: float = 5.0) -> bool:
    return bool(x.abs().max() > limit)


def enabled(level: int) -> bool:
    return level > 0


def halved(x: Tensor) -> Tensor:
    for _ in range(3):
        if x.norm() > 1:  # error: [TBR101]  # note: "decided here"
            x = x / 2
    return x


def halved_eagerly(x: Tensor) -> Tensor:
    for _ in range(3):
        if x.norm() > 1:  # ok: [TBR305] no compiled function reaches it  # error: [TBR101]
            x = x / 2
    return x
