# options: --tbr-enable=TBR301
"""TBR301 on request: tests for size 1, which has a graph of its own in any case."""

import torch


@torch.compile(backend="eager")
def decode(x: torch.Tensor) -> torch.Tensor:
    if x.shape[1] == 1:  # error: [TBR301]
        return x.sin()
    if x.size(0) != 1:  # error: [TBR301]
        return x.cos()
    return x
