"""Base classes whose state modules of another file change, or only read."""

from torch import nn


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
