"""TBR202: a branch on grad mode in a reentrant checkpoint."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def by_mode(x: torch.Tensor) -> torch.Tensor:
    return x.sin() if torch.is_grad_enabled() else x.cos()  # error: [TBR202]


class ByGraph(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.fc(x)
        if self.training and y.requires_grad:  # error: [TBR202]
            y = y.sin()
        if y.is_leaf:  # error: [TBR202]
            y = y.cos()
        return y


class ByInput(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        fresh, cut = torch.zeros(3), x.detach()
        if x.requires_grad or self.fc.weight.requires_grad:  # ok: [TBR202] the same in both runs
            x = x.sin()
        if fresh.requires_grad or cut.requires_grad:  # ok: [TBR202] never
            x = x.cos()
        return self.fc(x)


def inner(x: torch.Tensor) -> torch.Tensor:
    return x.sin()


def nested(x: torch.Tensor) -> torch.Tensor:
    if torch.is_grad_enabled():  # ok: [TBR202] both ways compute the same
        return checkpoint(inner, x, use_reentrant=True)
    return inner(x)


def by_history(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if y.grad_fn is None:  # error: [TBR202]
        y = y.sin()
    return y


def other_variant(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if torch.is_grad_enabled() and y.requires_grad:  # ok: [TBR202] both runs record a graph
        y = y.sin()
    return y


def step(graph: ByGraph, by_input: ByInput, x: torch.Tensor) -> None:
    x = checkpoint(by_mode, x, use_reentrant=True)
    x = checkpoint(graph, x, use_reentrant=True)
    x = checkpoint(by_input, x, use_reentrant=True)
    x = checkpoint(by_history, x, use_reentrant=True)
    x = checkpoint(nested, x, use_reentrant=True)
    checkpoint(other_variant, x, use_reentrant=False).sum().backward()
