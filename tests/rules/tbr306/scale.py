# options: --tbr-enable=TBR306
"""Compiled code that asks the file beside this one for numbers."""

import torch
from torch import Tensor

from .numbers import peak_of, total_of, width_of


@torch.compile
def scaled(x: Tensor) -> Tensor:
    return x / peak_of(x) * width_of(x)  # error: [TBR306]


def logged(x: Tensor) -> float:
    return total_of(scaled(x))
