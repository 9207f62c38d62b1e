"""Loops that end by what the file beside this one reads."""

from torch import Tensor, nn

from . import readings
from .readings import Halt, budget, settled


class Cell(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.halt = Halt(8)

    def forward(self, h: Tensor, times: Tensor) -> Tensor:
        while not settled(h):  # error: [TBR102]
            h = h / 2
        for _ in range(readings.rounds(times)):  # error: [TBR102]
            h = self.fc(h)
        for step in range(budget(4)):  # ok: [TBR102] a helper of the other file that doubles an int
            h = self.fc(h).tanh()
            if self.halt.over(step):  # ok: [TBR102] its method compares Python numbers
                break
            if self.halt.wanted(h):  # error: [TBR102]
                break
        return h
