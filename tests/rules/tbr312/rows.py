"""Readings that another file maps over."""

from torch import Tensor


def is_positive(row: Tensor) -> bool:
    return bool(row.sum() > 0)


def total(row: Tensor) -> float:
    return row.sum().item()


def is_long(row: Tensor) -> bool:
    return row.shape[0] > 2
