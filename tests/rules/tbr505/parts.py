"""Blocks and conditions of another file's checkpoints."""

from collections.abc import Callable

from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        return self.fc(x) * condition


def embedded(layer: nn.Linear, style: Tensor) -> Tensor:
    return layer(style).tanh()


def frozen(layer: nn.Linear, style: Tensor) -> Tensor:
    return layer(style).detach()


def bound(block: Block, condition: Tensor) -> Callable[[Tensor], Tensor]:
    def run(x: Tensor) -> Tensor:
        return block(x, condition)

    return run
