"""Tests of sizes that another file branches on."""

from torch import Tensor


def is_long(x: Tensor, limit: int = 512) -> bool:
    return x.shape[1] > limit


def is_matrix(x: Tensor) -> bool:
    return x.ndim == 2
