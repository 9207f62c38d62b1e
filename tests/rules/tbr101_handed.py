"""TBR101: flags and numbers by their declaration that a call of the file has read from a tensor."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def doubled(x: Tensor, flag: bool = False) -> Tensor:
    if flag:  # error: [TBR101]
        x = x * 2
    return x


def shifted(x: Tensor, steps: int) -> Tensor:
    if steps > 3:  # error: [TBR101]
        x = x.roll(steps)
    return x


def scaled(x: Tensor, factor: float = 1.0) -> Tensor:
    if factor != 1.0:  # ok: [TBR101] every caller hands a setting
        x = x * factor
    return x


def cut(x: Tensor, least: float) -> Tensor:
    if least > 0:  # ok: [TBR101] what is handed is the largest of some settings
        x = x.clamp(min=least)
    return x


class Layer(nn.Module):
    def __init__(self, factor: float, limits: dict[str, float]) -> None:
        super().__init__()
        self.factor = factor
        self.limits = limits

    def squeezed(self, x: Tensor, most: int) -> Tensor:
        if most > 3:  # error: [TBR101]
            x = x.tanh()
        return x

    def forward(self, x: Tensor) -> Tensor:
        x = doubled(x, bool(x.any()))
        steps = int(x.sum().item())
        x = shifted(x, steps=steps)
        x = cut(x, max(self.limits.values()))
        return scaled(self.squeezed(x, int(x.max())), self.factor)
