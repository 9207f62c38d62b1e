"""Base classes whose state modules of another file change, or only read."""

import torch
from torch import Tensor, nn


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0
        self.scale = 2


class Scheduled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.timestep = 0

    def set_timestep(self, timestep: int) -> None:
        self.timestep = timestep


class Stepped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0
        self.seen = 0
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.step += 1  # note: "it changes here"
        self.seen = 0
        self.seen += x.shape[0]
        if not torch.compiler.is_compiling():
            self.calls += 1
        return x * self.step


class Fixed(Stepped):
    def forward(self, x: Tensor) -> Tensor:
        return x * self.step
