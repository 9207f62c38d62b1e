"""Regions that change what the file beside this one keeps."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .state import Cache, Counted, Uncounted, note, table


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.cache = Cache()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        keys = self.cache.update(self.fc(x))  # error: [TBR205]
        note()  # error: [TBR205]
        return torch.softmax(x @ keys.mT, -1) @ keys


class Reading(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.cache = Cache()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        keys = self.cache.read(self.fc(x))  # ok: [TBR205] read, and left as it is
        sizes = table(x.shape[0])  # ok: [TBR205] made and changed in the same call
        return torch.softmax(x @ keys.mT, -1) @ keys * sizes["calls"]


class Trunk(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer()
        self.reading = Reading()
        self.counted = Counted()
        self.uncounted = Uncounted()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        note()  # ok: [TBR205] outside of the regions
        x = checkpoint(self.layer, x, use_reentrant=False)
        x = checkpoint(self.reading, x, use_reentrant=False)
        x = checkpoint(self.counted, x, use_reentrant=False)  # error: [TBR205]
        return checkpoint(self.uncounted, x, use_reentrant=False)  # ok: [TBR205] the same again
