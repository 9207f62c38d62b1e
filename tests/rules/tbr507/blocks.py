"""Functions and modules that another file checkpoints."""

from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)


class Causal(nn.Module):
    def forward(self, x: Tensor, causal: bool = False) -> Tensor:
        return x.tril() if causal else x


def double(x: Tensor) -> Tensor:
    return x * 2


def variadic(*args: Tensor | bool) -> Tensor:
    return double(args[0])
