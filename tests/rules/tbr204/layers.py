"""Layers and helpers that draw, and that do not."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PRESERVE = False


class Dropping(nn.Module):
    def __init__(self, rate: float = 0.1) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.drop = nn.Dropout(rate)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(self.fc(x))


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x).sin()


def noisy(x: Tensor, scale: float = 0.1) -> Tensor:
    return x + torch.randn_like(x) * scale


def dropped(x: Tensor, rate: float, training: bool) -> Tensor:
    return F.dropout(x, rate, training)
