# options: --tbr-torch=2.6 --tbr-enable=TBR306,TBR307
"""TBR306 and TBR307 on torch 2.6: `fullgraph=True` captures neither numbers nor sizes yet."""

import torch
from torch import Tensor


@torch.compile(fullgraph=True)
def whole(x: Tensor) -> Tensor:
    scale = x.max().item()  # error: [TBR306] "an error with `fullgraph=True` before torch 2.10"
    return x[x > 0] * scale  # error: [TBR307] "an error with `fullgraph=True` before torch 2.10"


@torch.compile
def cut(x: Tensor) -> Tensor:
    return x * x.max().item()  # error: [TBR306] "a graph break"
