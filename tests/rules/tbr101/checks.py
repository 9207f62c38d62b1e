"""Readings and settings that another file branches on."""

import torch
from torch import Tensor


def overflowed(h: Tensor) -> Tensor:
    return torch.isinf(h).any()


def is_hot(h: Tensor, limit: float = 4.0) -> bool:
    return h.abs().max().item() > limit  # ok: [TBR101] read and returned: the caller decides


def wide(limit: float) -> bool:
    return limit > 4.0


class Meter:
    def __init__(self, limit: float) -> None:
        self.limit = limit

    def above(self, h: Tensor) -> bool:
        return bool(h.mean() > self.limit)
