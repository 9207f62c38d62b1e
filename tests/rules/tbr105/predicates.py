"""Predicates, and a check, that another file uses."""

from typing import Any

from torch import Tensor


def is_positive(x: Tensor) -> bool:
    return bool((x > 0).all())


def peak(x: Tensor) -> float:
    return x.abs().max().item()


def same_shape(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape


def all_of(parts: list[Any], kind: type) -> bool:
    return all(isinstance(part, kind) for part in parts)
