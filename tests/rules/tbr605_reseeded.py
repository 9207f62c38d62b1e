"""TBR605: generators on datasets that each item seeds anew."""

import random

import torch
from torch.utils.data import Dataset


class BySample(Dataset):
    def __init__(self) -> None:
        self.g = torch.Generator()  # ok: [TBR605] every item seeds it by its own index
        self.rng = random.Random(0)  # ok: [TBR605] the same

    def __getitem__(self, i: int) -> torch.Tensor:
        self.g.manual_seed(i)
        self.rng.seed(i)
        return torch.rand(2, generator=self.g) * self.rng.random()

    def __len__(self) -> int:
        return 10


class ByConstant(Dataset):
    def __init__(self) -> None:
        self.g = torch.Generator()  # error: [TBR605]

    def __getitem__(self, i: int) -> torch.Tensor:
        self.g.manual_seed(3)
        return torch.rand(2, generator=self.g)

    def __len__(self) -> int:
        return 10


SHARED = random.Random(0)  # error: [TBR605] "`SHARED` (random.Random)"
SEEDED = random.Random(0)  # ok: [TBR605] every item seeds it
UNUSED = random.Random(0)  # ok: [TBR605] no worker draws from it
HELPING = torch.Generator()  # error: [TBR605]


def noise() -> torch.Tensor:
    return torch.rand(2, generator=HELPING)


def split(n: int) -> int:
    return UNUSED.randrange(n)


class FromModule(Dataset):
    def __getitem__(self, i: int) -> torch.Tensor:
        SEEDED.seed(i)
        return noise() * SHARED.random() * SEEDED.random()

    def __len__(self) -> int:
        return 10
