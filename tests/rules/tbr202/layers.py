"""A checkpointed layer whose counter is kept in the file beside this one."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .counters import Alternating, Schedule, Steady, count, loaded, turned


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.schedule = Schedule()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.schedule.advance()  # error: [TBR205]
        h = self.fc(x)
        if self.schedule.due():  # error: [TBR202]
            h = h.tanh()
        if self.schedule.long():  # ok: [TBR202] the region changes another attribute of the schedule
            h = h.cos()
        if count() > 3:  # error: [TBR202]  # error: [TBR205]
            h = h.sin()
        return h.sin()


class Loading(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.kind = kind

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = loaded(self.kind)(self.fc(x))  # ok: [TBR202] nothing is computed where the kind is another one
        return turned(h, self.kind).sin()  # error: [TBR202]


class Trunk(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer()
        self.alternating = Alternating()
        self.steady = Steady()
        self.loading = Loading("tanh")
        self.schedule = Schedule()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.schedule.advance()
        if self.schedule.due():  # ok: [TBR202] moved and asked outside of the regions
            x = x * 2
        x = checkpoint(self.layer, x, use_reentrant=False)
        # error: [TBR202]
        x = checkpoint(self.alternating, x, use_reentrant=False)  # error: [TBR205]
        x = checkpoint(self.loading, x, use_reentrant=False)
        return checkpoint(self.steady, x, use_reentrant=False)  # ok: [TBR202] its depth never changes
