"""What a size costs is said for the arguments of `torch.compile` at hand."""

from __future__ import annotations

import torch
from torch import Tensor


@torch.compile
def plain(x: Tensor) -> Tensor:
    for i in range(x.shape[0]):  # error: [TBR302] "8 of them, then eager, also with `dynamic=True`"
        x = x + i
    return x.cos() if x.shape[1] > 8 else x.sin()  # error: [TBR301] "one more graph per outcome"


@torch.compile(fullgraph=True)
def whole(x: Tensor) -> Tensor:
    for i in range(x.shape[0]):  # error: [TBR302] "8 of them, then an error, also with `dynamic=True`"
        x = x + i
    return x.cos() if x.shape[1] > 8 else x.sin()  # error: [TBR301] "one more graph per outcome"


@torch.compile(dynamic=False)
def fixed(x: Tensor) -> Tensor:
    for i in range(x.shape[0]):  # error: [TBR302] "8 of them, then eager; use"
        x = x + i
    return x.cos() if x.shape[1] > 8 else x.sin()  # error: [TBR301] "`dynamic=False` one graph per size, 8 of them, then eager"


@torch.compile(fullgraph=True, dynamic=False)
def both(x: Tensor) -> Tensor:
    for i in range(x.shape[0]):  # error: [TBR302] "8 of them, then an error; use"
        x = x + i
    return x.cos() if x.shape[1] > 8 else x.sin()  # error: [TBR301] "one graph per size, 8 of them, then an error"
