"""Modules and helpers that another file differentiates."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Body(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)


def saved(layer: nn.Module, x: Tensor) -> Tensor:
    return checkpoint(layer, x, use_reentrant=False)


def saved_reentrantly(layer: nn.Module, x: Tensor) -> Tensor:
    y: Tensor = checkpoint(layer, x, use_reentrant=True)
    return y


def slope(y: Tensor, x: Tensor) -> Tensor:
    return torch.autograd.grad(y.sum(), x)[0]


def full(y: Tensor) -> None:
    y.sum().backward()
