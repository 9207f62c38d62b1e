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
