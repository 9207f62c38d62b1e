"""A compiled function whose loop branches on what the file beside this one reads."""

import torch
from torch import Tensor

from .clip import enabled, halved, halved_eagerly, too_big


@torch.compile
def step(x: Tensor, level: int) -> Tensor:
    for _ in range(3):
        if too_big(x):  # error: [TBR305]
            x = x / 2
        if enabled(level):  # ok: [TBR305] the other file compares Python numbers
            x = x.sin()
    return halved(x)  # error: [TBR305]


def run(x: Tensor) -> Tensor:
    return halved_eagerly(step(x, 1))
