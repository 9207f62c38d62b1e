# options: --tbr-enable=TBR105
"""Checks by predicates of the file beside this one."""

import warnings

from torch import Tensor

from . import predicates
from .predicates import all_of, is_positive, same_shape


def log_probability(p: Tensor) -> Tensor:
    if not is_positive(p):  # error: [TBR105]
        raise ValueError("probabilities must be positive")
    return p.log()


def loud(x: Tensor) -> Tensor:
    if predicates.peak(x) > 100:  # error: [TBR105]
        warnings.warn("large", stacklevel=2)
    assert predicates.is_positive(x + 1)  # error: [TBR105]
    return x * 2


def metadata(a: Tensor, b: Tensor) -> Tensor:
    assert same_shape(a, b)  # ok: [TBR105] the other file compares shapes
    if not all_of([a, b], Tensor):  # ok: [TBR105] the other file looks at types
        raise TypeError("tensors are needed")
    return a + b
