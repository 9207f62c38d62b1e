"""Checkpoints in modules that are exported."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.fc, x, use_reentrant=False)  # error: [TBR314] "`strict=True`: RuntimeError"


class Helped(Plain):
    def saved(self, x: Tensor) -> Tensor:
        return checkpoint(self.fc, x, use_reentrant=False)  # error: [TBR314]

    def forward(self, x: Tensor) -> Tensor:
        return self.saved(x).sin()


class Chained(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.chain = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint_sequential(self.chain, 2, x, use_reentrant=False)  # error: [TBR314]


class Training(Plain):
    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            return checkpoint(self.fc, x, use_reentrant=False)  # ok: [TBR314] left out in evaluation mode
        return self.fc(x)


class Loose(Plain):
    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.fc, x, use_reentrant=False)  # ok: [TBR314] the export is not strict


class Chosen(Plain):
    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.fc, x, use_reentrant=False)  # ok: [TBR314] nobody knows which export it is


def export(strict: bool) -> None:
    x = torch.ones(2, 4)
    for module in (Plain(), Helped(), Chained(), Training().eval()):
        torch.export.export(module, (x,), strict=True)
    torch.export.export(Loose(), (x,))
    torch.export.export(Chosen(), (x,), strict=strict)
