# options: --tbr-enable=TBR306
"""TBR306: a tensor's value becomes a Python number in a compiled region."""

import math

import contextlib

import torch
from torch import Tensor, nn


def peak_of(x: Tensor) -> float:
    return x.max().item()  # error: [TBR306] "a graph break"


@torch.compile
def normalised(x: Tensor, count: Tensor, rows: int) -> Tensor:
    x = x / peak_of(x)
    width = int(count)  # error: [TBR306]
    shift = min(float(x.min()), 0.0)  # error: [TBR306]
    offsets = count.reshape(1).tolist()  # error: [TBR306]
    for _ in range(2):
        x = x + x.sum().item()  # error: [TBR306] "runs eagerly"
    scale = float(rows) + int(x.shape[0])  # ok: [TBR306] Python numbers
    if not torch.compiler.is_compiling():
        print(x.sum().item())  # ok: [TBR306] never traced
    if x.sum().item() > 0:  # ok: [TBR306] the branch speaks for it  # error: [TBR304]
        x = x.sin()
    return x[:width] * shift * offsets[0] * scale


class Scaled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * x.mean().item()  # ok: [TBR306] `fullgraph=True` captures it


scaled = torch.compile(Scaled(), fullgraph=True)


def eager(x: Tensor) -> float:
    return x.sum().item()  # ok: [TBR306] not compiled


@torch.compile
def rooted(x: Tensor) -> Tensor:
    total = math.sqrt(x.square().sum())  # error: [TBR306] "a graph break"
    width = math.sqrt(x.shape[-1])  # ok: [TBR306] a size
    return x / total * width


@torch.compile
def picked(x: torch.Tensor, scales: list[float], index: torch.Tensor) -> torch.Tensor:
    return x * scales[index] + x[index]  # error: [TBR306]


@torch.compile
def unasked(x: Tensor) -> Tensor:
    x = x * any([x[0] > 0, x[1] > 0])  # error: [TBR306] "a graph break"
    x = x * bool(x.sum() > 0)  # error: [TBR306]
    low, high = map(float, x[:2])  # error: [TBR306]
    label = str(x.sum())  # error: [TBR306] "text"
    sizes = [*map(int, x.shape)]  # ok: [TBR306] sizes
    steps = torch.arange(x.max())  # error: [TBR306]
    if x.ndim > 3:
        raise ValueError(str(x))  # ok: [TBR306] nothing goes on
    return x * (low + high) * len(label) + steps.sum() + torch.full((2,), x.sum()) + sizes[0]


@contextlib.contextmanager
def quiet():
    yield


@torch.compile
def read_under(x: Tensor) -> Tensor:
    with quiet():
        x = x * x.max().item()  # error: [TBR306] "runs eagerly"
    with torch.no_grad():
        return x * x.max().item()  # error: [TBR306] "a graph break"
