# options: --tbr-enable=TBR210
"""TBR210: routers in a loop over layers, whose input already has a size that values decide."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Picking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        best = self.gate(x).argmax(-1)  # error: [TBR210]
        return x[best == 0]


class Stack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Picking() for _ in range(4))

    def run(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.run, x, use_reentrant=False)


class Experts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.first = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        best = self.gate(x).argmax(-1)  # error: [TBR210]
        out = torch.zeros_like(x)
        out[best == 0] = self.first(x[best == 0]).tanh()
        return out


class Chunked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Experts() for _ in range(4))

    def chunk(self, start: int, end: int):
        def run(x: Tensor) -> Tensor:
            for layer in self.layers[start:end]:
                x = layer(x)
            return x

        return run

    def forward(self, x: Tensor) -> Tensor:
        for start in range(0, 4, 2):
            x = checkpoint(self.chunk(start, start + 2), x, use_reentrant=False)
        return x


class Cut(nn.Module):
    """As many as a value says, read from a tensor."""

    def forward(self, x: Tensor) -> Tensor:
        kept = int(x.sum().item())
        return x.topk(kept).values.sin()  # error: [TBR210]


def cut(module: Cut, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)
