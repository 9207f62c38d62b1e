"""Readings and a module that another file traces."""

import torch
from torch import Tensor, nn


def is_long(x: Tensor) -> bool:
    return x.shape[0] > 2


def is_matrix(x: Tensor) -> bool:
    return x.dim() == 2


def capped(x: Tensor) -> Tensor:
    return x / x.max() if x.max() > 1 else x  # error: [TBR101]  # note: "decided here"


class Whole(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR101]  # note: "decided here"


class Calm(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.where(x.sum() > 0, x.sin(), x.cos())
