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
