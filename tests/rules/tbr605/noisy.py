"""Datasets on base classes of the file beside this one."""

import numpy as np
import torch

from .base import Base, Plain, generator, torch_generator


class Noisy(Base):
    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.rng = np.random.default_rng(0)  # error: [TBR605]

    def __getitem__(self, i: int) -> float:
        return i + self.rng.random()


class Made(Base):
    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.rng = generator(0)  # error: [TBR605]
        self.drawn = torch_generator(0)  # error: [TBR605]

    def __getitem__(self, i: int) -> float:
        return i + self.rng.random() + torch.rand((), generator=self.drawn).item()


class Fresh(Base):
    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.rng = generator(0)  # ok: [TBR605] made again in the worker

    def __getitem__(self, i: int) -> float:
        self.rng = generator(torch.initial_seed() + i)
        return self.rng.random()


class NoDataset(Plain):
    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.rng = generator(0)  # ok: [TBR605] the other file's base class is no dataset

    def __getitem__(self, i: int) -> float:
        return self.rng.random()
