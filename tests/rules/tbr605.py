"""TBR605: a generator stored on a dataset is copied into every DataLoader worker."""

import random
from random import Random

import numpy as np
import torch
from torch.utils import data
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Noisy(Dataset):
    def __init__(self, n: int) -> None:
        self.n = n
        self.rng = np.random.default_rng(0)  # error: [TBR605]
        self.generator = torch.Generator().manual_seed(0)  # error: [TBR605]
        self.order = np.random.default_rng(0).permutation(n)  # ok: [TBR605] only its result is kept

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> torch.Tensor:
        return torch.rand((), generator=self.generator) + self.shift() + self.order[i]

    def shift(self) -> float:
        return self.rng.random()


class Stream(IterableDataset):
    def __init__(self) -> None:
        self.random = Random(3)  # error: [TBR605] "seed it in `__iter__`"

    def __iter__(self):
        while True:
            yield self.random.random()


class OldStyle(data.Dataset):
    def __init__(self) -> None:
        self.state = np.random.RandomState(1)  # error: [TBR605]

    def __getitem__(self, i):
        return self.state.rand()


class MadeInTheWorker(Dataset):
    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)  # ok: [TBR605] made again in the worker

    def __getitem__(self, i):
        self.rng = np.random.default_rng([torch.initial_seed(), i])
        return self.rng.random()


class UsedBefore(Dataset):
    def __init__(self, n: int) -> None:
        self.n = n
        self.rng = random.Random(0)  # ok: [TBR605] no worker draws from it

    def split(self) -> int:
        return self.rng.randrange(self.n)

    def __getitem__(self, i):
        return i


class NoDataset:
    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)  # ok: [TBR605] no dataset

    def __getitem__(self, i):
        return self.rng.random()


def loader() -> DataLoader:
    return DataLoader(Noisy(4), batch_size=2, num_workers=2)
