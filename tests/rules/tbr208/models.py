"""Models with and without checkpoints, and helpers that change a model."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, x, use_reentrant=False)


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x)


def freeze(model: nn.Module) -> None:
    for parameter in model.parameters():
        parameter.requires_grad_(False)


def size(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


class Steady(nn.Module):
    """Its region runs a method of its own, which asks for no mode, and reads a scale."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.scale = 1.0
        self.label = ""

    def run(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x).tanh() * self.scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.run, x, use_reentrant=False)


class Dropping(Steady):
    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.1)

    def run(self, x: torch.Tensor) -> torch.Tensor:
        return self.drop(self.body(x))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.run, x, use_reentrant=False)
