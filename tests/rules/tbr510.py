"""TBR510: autograd is asked inside the function of a reentrant checkpoint."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Energy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.body = nn.Linear(3, 3)

    def force(self, x: torch.Tensor) -> torch.Tensor:
        energy = self.body(x).square().sum()
        return torch.autograd.grad(energy, x, create_graph=True)[0]

    def watched(self, x: torch.Tensor) -> torch.Tensor:
        h = self.body(x)
        h.register_hook(lambda g: g.clamp(-1, 1))
        return h.tanh()

    def kept(self, x: torch.Tensor) -> torch.Tensor:
        h = self.body(x)
        h.retain_grad()
        return h.tanh()

    def plain(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x).tanh()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        a = checkpoint(self.force, h, use_reentrant=True)  # error: [TBR510]
        b = checkpoint(self.watched, h, use_reentrant=True)  # error: [TBR510]
        return a + b + checkpoint(self.kept, h, use_reentrant=True)  # error: [TBR510]

    def rightly(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        a = checkpoint(self.force, h, use_reentrant=False)  # ok: [TBR510] this forward records a graph
        b = checkpoint(self.watched, h, use_reentrant=False)  # ok: [TBR510] this forward records a graph
        c = checkpoint(self.plain, h, use_reentrant=True)  # ok: [TBR510] the hook is set outside
        c.register_hook(lambda g: g.clamp(-1, 1))
        return a + b + c


class Asking(nn.Module):
    """What runs only where a graph is recorded, or on what has its own, is no matter of the forward."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)

    def asked(self, x: torch.Tensor) -> torch.Tensor:
        h = self.body(x)
        if h.requires_grad:
            h.register_hook(lambda g: g.clamp(-1, 1))
        if torch.is_grad_enabled() and x.ndim > 1:
            h.retain_grad()
        return h.tanh()

    def switched_on(self, x: torch.Tensor) -> torch.Tensor:
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            (force,) = torch.autograd.grad(y.square().sum(), y)
        return self.body(x) * force

    def of_weight(self, x: torch.Tensor) -> torch.Tensor:
        self.body.weight.register_hook(lambda g: g.clamp(-1, 1))
        return self.body(x).tanh()

    def negated(self, x: torch.Tensor) -> torch.Tensor:
        h = self.body(x)
        if not h.requires_grad:
            h.retain_grad()
        return h.tanh()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.body(x)
        a = checkpoint(self.asked, h, use_reentrant=True)  # ok: [TBR510] asks first
        b = checkpoint(self.switched_on, h, use_reentrant=True)  # ok: [TBR510] records a graph of its own
        c = checkpoint(self.of_weight, h, use_reentrant=True)  # ok: [TBR510] a parameter requires grad in both runs
        return a + b + c + checkpoint(self.negated, h, use_reentrant=True)  # error: [TBR510]


def differentiated(h: torch.Tensor) -> torch.Tensor:
    y = h.sin()
    y.sum().backward()
    return h.cos()


def differentiated_alone(h: torch.Tensor) -> torch.Tensor:
    with torch.enable_grad():
        k = h.detach().requires_grad_()
        loss = k.square().sum()
    loss.backward()
    return h * k.grad


def backwards(x: torch.Tensor) -> torch.Tensor:
    x.requires_grad_()
    x = checkpoint(differentiated_alone, x, use_reentrant=True)  # ok: [TBR510] a graph is recorded for it
    return checkpoint(differentiated, x, use_reentrant=True)  # error: [TBR510] "`backward`"
