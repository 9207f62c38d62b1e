"""TBR503: `autograd.grad` or `backward(inputs=...)` through a reentrant checkpoint."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint


class Critic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        h = checkpoint(self.body, h, use_reentrant=True)  # error: [TBR503]
        return self.head(h)


def gradient_penalty(critic: Critic, x: torch.Tensor) -> torch.Tensor:
    x = x.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    return (gradient.norm(dim=-1) - 1).square().mean()


def sensitivity(layer: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    y = cp.checkpoint(layer, x.requires_grad_(), use_reentrant=True)  # error: [TBR503]
    return torch.autograd.grad(y.sum(), x)[0]


def only_the_input(layer: nn.Linear, x: torch.Tensor) -> None:
    loss = checkpoint(layer, x.requires_grad_(), use_reentrant=True).square().mean()  # error: [TBR503]
    loss.backward(inputs=[x])


# Rightly silent.


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        return checkpoint(self.body, h, use_reentrant=True)  # ok: [TBR503] a full backward


def train(model: Plain, x: torch.Tensor) -> None:
    model(x).sum().backward()


def not_reentrant(layer: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    y = checkpoint(layer, x.requires_grad_(), use_reentrant=False)  # ok: [TBR503] supports both
    return torch.autograd.grad(y.sum(), x)[0]


def beside(layer: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    y = checkpoint(layer, x.requires_grad_(), use_reentrant=True)  # ok: [TBR503] another graph is differentiated
    other = layer(x)
    y.sum().backward()
    return torch.autograd.grad(other.sum(), x)[0]


def from_here_on(layer: nn.Linear, head: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    y = checkpoint(layer, x.requires_grad_(), use_reentrant=True)  # ok: [TBR503] that backward ends at the output
    (force,) = torch.autograd.grad(head(y).sum(), y, retain_graph=True)
    head(y).sum().backward(inputs=[y], retain_graph=True)
    return force


def beyond(layer: nn.Linear, head: nn.Linear, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = checkpoint(layer, x.requires_grad_(), use_reentrant=True)  # error: [TBR503]
    return torch.autograd.grad(head(y).sum(), [y, x])


def derived(layer: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    def run(h: torch.Tensor) -> torch.Tensor:
        return checkpoint(layer, h, use_reentrant=True)  # error: [TBR503] "autograd.functional.jacobian through"

    return torch.autograd.functional.jacobian(run, x)


def not_derived(layer: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    def run(h: torch.Tensor) -> torch.Tensor:
        return h * checkpoint(layer, x, use_reentrant=True).detach()  # ok: [TBR503] leaves the graph

    return torch.autograd.functional.jacobian(run, x)
