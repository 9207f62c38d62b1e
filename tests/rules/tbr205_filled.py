"""TBR205 and state that is filled once, by a helper, under a flag or a key that the same branch sets."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Padding:
    def __init__(self) -> None:
        self.ready = False
        self.table: Tensor | None = None
        self.shift: Tensor | None = None

    def fill(self, x: Tensor, width: int) -> None:
        self.width = width  # ok: [TBR205] filled once, with what never changes
        self.table = torch.zeros(width)  # ok: [TBR205] filled once
        self.ready = True

    def padded(self, x: Tensor, width: int) -> Tensor:
        if not self.ready:  # ok: [TBR202] nothing but the state is made where it is not
            self.fill(x, width)
        return x[..., : self.width] + self.table

    def shifted(self, x: Tensor) -> Tensor:
        if self.shift is None:
            self.move(x)
        return x + self.shift

    def move(self, x: Tensor) -> None:
        self.shift = torch.arange(x.shape[-1]).float()  # ok: [TBR205] filled once


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.padding = Padding()

    def forward(self, x: Tensor) -> Tensor:
        x = self.padding.padded(self.fc(x), 4).sin()
        x = self.padding.padded(self.fc(x), 4).sin()
        return self.padding.shifted(self.padding.shifted(x)).sin()


class Counting(nn.BatchNorm1d):
    def forward(self, x: Tensor) -> Tensor:
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)  # ok: [TBR205] statistics of a normalization
            self.running_mean.mul_(0.9).add_(x.mean(0).detach(), alpha=0.1)  # ok: [TBR205] the same
        return nn.functional.batch_norm(x, None, None, self.weight, self.bias, True, 0.0, self.eps)


class Tallying(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("running_mean", torch.zeros(4))

    def forward(self, x: Tensor) -> Tensor:
        self.running_mean.mul_(0.9).add_(x.mean(0).detach())  # error: [TBR205]
        return self.fc(x).sin()


class Rewound:
    def __init__(self) -> None:
        self.ready = False
        self.start: Tensor | None = None

    def begun(self, x: Tensor) -> Tensor:
        if not self.ready:
            self.begin(x)
        return (x + self.start).sin()

    def begin(self, x: Tensor) -> None:
        self.start = torch.zeros(4) if self.start is None else self.start + 1  # error: [TBR205]


class Trunk(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer()
        self.counting = Counting(4)
        self.tallying = Tallying()
        self.rewound = Rewound()

    def forward(self, x: Tensor) -> Tensor:
        x = checkpoint(self.layer, x, use_reentrant=False)
        x = checkpoint(self.counting, x, use_reentrant=False)
        x = checkpoint(self.rewound.begun, x, use_reentrant=False)
        return checkpoint(self.tallying, x, use_reentrant=False)
