# options: --tbr-enable=TBR307
"""A compiled function that lets the file beside this one choose."""

import torch
from torch import Tensor

from . import choose


@torch.compile
def step(x: Tensor) -> Tensor:
    return choose.positive(x).sum() + choose.zeroed(x)  # error: [TBR307]


@torch.compile
def counted(x: Tensor) -> Tensor:
    return choose.rows(x)  # error: [TBR307]


def count(x: Tensor) -> int:
    return choose.kinds(step(x)).numel()
