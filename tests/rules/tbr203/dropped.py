"""A layer of another file that tosses a coin of its own, and one that does not."""

from __future__ import annotations

import random

import torch
from torch import nn


def coin(chance: float) -> bool:
    return random.random() < chance


class Dropped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if coin(0.1) else self.fc(x)


class Kept(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, keep: bool = True) -> torch.Tensor:
        return self.fc(x) if keep else x


class Jittered(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.fc(x) * random.uniform(0.9, 1.1)).sin()  # note: "drawn here"
