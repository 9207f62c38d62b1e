"""Readings and a module that another file exports."""

import torch
from torch import Tensor, nn


def overflowed(x: Tensor) -> bool:
    return bool(torch.isinf(x).any())


def capped(x: Tensor) -> Tensor:
    if x.max() > 1:  # error: [TBR101]  # note: "decided here"
        x = x / x.max()
    return x


def is_matrix(x: Tensor) -> bool:
    return x.dim() == 2


class Whole(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR101]  # note: "decided here"


class Calm(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.where(x.sum() > 0, x.sin(), x.cos())


class Eager(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR101]
