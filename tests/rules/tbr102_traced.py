"""TBR102: on request alone for loops that a test keeps out of traced code."""

import torch
from torch import Tensor


def stops_early_in_eager(x: Tensor) -> Tensor:
    compiling = torch.compiler.is_compiling()
    for _ in range(10):
        x = x * 0.5
        if not compiling and x.norm() < 1e-3:  # ok: [TBR102] on purpose: opt-in
            break
    return x
