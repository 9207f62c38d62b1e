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


@torch.compile
def rounds(x: Tensor) -> Tensor:
    for _ in range(x.shape[0] // 4):  # error: [TBR302] "a graph per number of rounds, up to 8, then eager"
        x = x.sin()
    width = 1
    while width < x.shape[0]:  # error: [TBR302] "a graph per number of rounds"
        x = x + x.roll(width, 0)
        width *= 2
    for _ in range(min(x.shape[1], 3)):  # error: [TBR302] "a graph per number of rounds"
        x = x.cos()
    steps = x.shape[0] - 1
    for i in range(1, steps):  # error: [TBR302] "one graph per size"
        x = x + i
    for i, row in enumerate(reversed(x)):  # error: [TBR302] "one graph per size"
        x = x + row * i
    return x


@torch.compile
def picked(x: Tensor) -> Tensor:
    return x * {True: 2.0, False: 3.0}[x.shape[0] > 5]  # ok: [TBR302] two entries: a graph for each outcome
