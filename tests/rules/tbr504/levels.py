"""Functions and modules that another file checkpoints."""

from torch import Tensor, nn


class Levels(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x: Tensor) -> list[Tensor]:
        return [layer(x) for layer in self.layers]


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.fc(x), x


def named(layer: nn.Module, x: Tensor) -> dict[str, Tensor]:
    return {"hidden": layer(x)}
