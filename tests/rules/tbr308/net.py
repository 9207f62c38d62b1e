"""Modules, dimensions and samples that another file exports with."""

import torch
from torch import Tensor, nn
from torch.export import Dim

BATCH = Dim("batch")
AUTO = Dim.AUTO


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)


def alone() -> Tensor:
    return torch.randn(1, 4)


def two() -> Tensor:
    return torch.randn(2, 4)
