"""TBR202: tests at the end of a region, where a non-reentrant recompute has stopped."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Ends(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.n = 0
        self.gain = 1.0

    def scaled(self, x):
        self.n += 1  # error: [TBR205]
        x = torch.tanh(self.fc(x))
        if self.n % 2:  # ok: [TBR202] a factor saves nothing
            x = x * 2.0
        return x

    def factor(self, x):
        self.n += 1  # error: [TBR205]
        x = torch.tanh(self.fc(x))
        return x * (2.0 if self.n % 2 else 3.0)  # ok: [TBR202] as above

    def sine(self, x):
        self.n += 1  # error: [TBR205]
        x = torch.tanh(self.fc(x))
        if self.n % 2:  # error: [TBR202]
            x = x.sin()
        return x

    def early(self, x):
        self.n += 1  # error: [TBR205]
        if self.n % 2:  # error: [TBR202]
            x = x * 2.0
        return torch.tanh(self.fc(x))

    def refuses(self, x):
        self.n += 1  # error: [TBR205]
        x = torch.tanh(self.fc(x))
        if self.n > 8:  # ok: [TBR202] nothing is saved from there on
            raise RuntimeError("too many")
        return x

    def forward(self, x, reentrant):
        x = checkpoint(self.scaled, x, use_reentrant=False)
        x = checkpoint(self.factor, x, use_reentrant=False)
        x = checkpoint(self.sine, x, use_reentrant=False)
        x = checkpoint(self.early, x, use_reentrant=False)
        return checkpoint(self.refuses, x, use_reentrant=False)


class Reentrant(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.n = 0

    def inner(self, x):
        self.n += 1  # error: [TBR205]
        x = torch.tanh(self.fc(x))
        if self.n % 2:  # error: [TBR202]
            x = x * 2.0
        return x

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=True)
