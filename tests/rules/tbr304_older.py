# options: --tbr-torch=2.6
"""TBR304 on torch 2.6: `suppress` and a generator cut the graph, where newer torch loses the frame (TBR305)."""

import contextlib

import torch
from torch import Tensor


@torch.compile
def in_suppress(x: Tensor) -> Tensor:
    x = x.cos()
    with contextlib.suppress(ValueError):
        if x.sum() > 0:  # error: [TBR304] "a graph break"
            x = x.sin()
    return x


@torch.compile
def in_generator(x: Tensor) -> Tensor:
    return x.sin() if any(row > 9 for row in x) else x.cos()  # error: [TBR304] "a graph break"


@torch.compile
def in_for(x: Tensor) -> Tensor:
    for _ in range(2):
        if x.sum() > 0:  # error: [TBR305]  # ok: [TBR304] the frame is lost
            x = x.sin()
    return x
