"""Tests of sizes that another file branches on."""

from torch import Tensor


def is_long(x: Tensor, limit: int = 512) -> bool:
    return x.shape[1] > limit


def is_matrix(x: Tensor) -> bool:
    return x.ndim == 2


def padded(x: Tensor) -> Tensor:
    if x.shape[-1] % 8:  # note: "decided here"
        x = x.repeat_interleave(8, -1)
    return x
