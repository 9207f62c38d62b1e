"""The checkpointed models that `train.py` runs; the scope is not in this file."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint


class Layer(nn.Module):
    def __init__(self, dim: int = 16) -> None:
        super().__init__()
        self.query = nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query = self.query(x)
        return x + F.scaled_dot_product_attention(query, query, query)


class Stack(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(depth))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return x


class SelfScoped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer()

    def math_layer(self, x: torch.Tensor) -> torch.Tensor:
        with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] part of what is recomputed
            return self.layer(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.math_layer, x, use_reentrant=False)


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)
