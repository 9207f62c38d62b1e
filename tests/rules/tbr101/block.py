"""Branches on readings that are made in the file beside this one."""

from torch import Tensor, nn

from . import checks
from .checks import Meter, overflowed, wide


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.meter = Meter(1.0)

    def forward(self, x: Tensor) -> Tensor:
        h = self.fc(x)
        if overflowed(h):  # error: [TBR101]
            h = h.clamp(-1e4, 1e4)
        if checks.is_hot(h):  # error: [TBR101]
            h = h / 4
        if self.meter.above(h):  # error: [TBR101]
            h = h - 1
        if wide(self.meter.limit):  # ok: [TBR101] a helper of the other file that reads no tensor
            h = h * 2
        return h
