"""A block that branches on a value, and one that does not."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Capped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        h = self.fc(x)
        if h.norm() > 1:  # error: [TBR101]
            h = h / h.norm()
        return h.sin()


class Clamped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        h = self.fc(x)
        return torch.where(h > 0, h, h.exp() - 1).sin()
