"""TBR205: what a region collects, and only the script that stands in the same file reads."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.norms: list[float] = []
        self.seen: list[str] = []

    def forward(self, x: Tensor) -> Tensor:
        h = self.fc(x)
        self.norms.append(float(h.detach().norm()))  # error: [TBR205] "twice per step"
        self.seen.append("call")  # ok: [TBR205] telemetry that nothing here reads
        return torch.tanh(h)


def step(layer: Layer, x: Tensor) -> None:
    checkpoint(layer, x, use_reentrant=False).sum().backward()


if __name__ == "__main__":
    layer = Layer()
    step(layer, torch.ones(2, 4, requires_grad=True))
    print(len(layer.norms))
