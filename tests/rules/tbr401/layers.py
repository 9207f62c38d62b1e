"""Layers without attention that another module of the package checkpoints."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


class Gate(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.rate = 0.1

    @property
    def dropout(self) -> float:
        return self.rate if self.training else 0.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.dropout(x, self.dropout, self.training)
        return self.norm(x) + x.mean(dim=-1, keepdim=True).clamp(min=0)


class Mixer(nn.Module):
    """What its subclasses mix by is theirs."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.mix(x))

    def mix(self, x: torch.Tensor) -> torch.Tensor:
        return x


class Attending(Mixer):
    def mix(self, x: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(x, x, x)


class Scaling(nn.Module):
    """No subclass of it is in view."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.mix(x))

    def mix(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def gated(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    first, second = F.linear(x, weight).chunk(2, dim=-1)
    return first * torch.sigmoid(second)


def within(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)
