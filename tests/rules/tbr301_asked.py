# options: --tbr-enable=TBR301
"""TBR301: on request, tests of a size that add no graph, with what they cost instead."""

import torch
from torch import Tensor


@torch.compile(backend="eager")
def asked(x: Tensor) -> Tensor:
    length = x.shape[1]
    if length == 1:  # error: [TBR301] "a graph for size 1, which it has in any case"
        x = x.sin()
    if not length:  # error: [TBR301] "a guard that it is not zero, and no graph more"
        x = x.cos()
    if x.numel():  # error: [TBR301] "a guard that it is not zero"
        x = x.tanh()
    if x.numel() == 0:  # ok: [TBR301] a test for emptiness is validation nearly always
        x = x.neg()
    if length > 8:  # error: [TBR301] "one more graph per outcome"
        x = x.exp()
    return x
