# options: --tbr-enable=TBR106
"""Decisions on what the file beside this one sums up."""

from torch import Tensor, nn

from . import pooling
from .pooling import Mean, highest


class Gate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mean = Mean()

    def forward(self, x: Tensor, index: Tensor) -> Tensor:
        total = pooling.summed(x, index, 4)
        if total.max() > 1:  # error: [TBR106] "`index_add_`"
            x = x / 2
        if self.mean(x, index).norm() > 1:  # error: [TBR106] "`scatter_reduce`"
            x = x / 2
        if highest(x, index).max() > 1:  # ok: [TBR106] a maximum does not depend on the order  # error: [TBR101]
            x = x / 2
        return x
