# options: --tbr-enable=TBR210
"""Routers and helpers of a checkpointed region in another file."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def chosen(scores: Tensor) -> Tensor:
    return scores.argmax(-1)


def positive(x: Tensor) -> Tensor:
    return x[x[:, 0] > 0]


def clipped(x: Tensor) -> Tensor:
    return torch.where(x > 0, x, 0.0)


class Sparse(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.tanh(self.fc(x))
        return torch.sin(h[h[:, 0] > 0])


class Dense(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.tanh(self.fc(x))
        return torch.sin(h * (h > 0))
