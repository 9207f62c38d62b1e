"""Incident 3: a draft model behind a reentrant checkpoint."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.flex_attention import flex_attention
from torch.utils.checkpoint import checkpoint


def loss_of(hidden: torch.Tensor, weight: torch.Tensor, labels: torch.Tensor, temperature: float) -> torch.Tensor:
    return F.cross_entropy(F.linear(hidden, weight) / temperature, labels)


class Draft(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.target_embedding = nn.Embedding(32, 8).requires_grad_(False)
        self.head_weight = nn.Parameter(torch.randn(32, 8), requires_grad=False)
        self.layer = nn.Linear(8, 8)
        self.head = nn.Linear(8, 32)

    def from_frozen(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.target_embedding(ids)
        hidden = checkpoint(self.layer, hidden, use_reentrant=True)  # error: [TBR501]
        return self.head(hidden)

    def from_trainable(self, ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        hidden = self.layer(self.target_embedding(ids))
        # ok: [TBR501] frozen weight, labels and a number, but the hidden state comes from a trainable layer
        return checkpoint(loss_of, hidden, self.head_weight, labels, 0.7, use_reentrant=True)

    def not_reentrant(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.target_embedding(ids)
        hidden = checkpoint(self.layer, hidden, use_reentrant=False)  # ok: [TBR501] has no such condition
        return self.head(hidden)


def uncompiled(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return flex_attention(q, k, v)  # error: [TBR313]
