"""Base classes and generators of another file's datasets."""

import numpy as np
import torch
from torch.utils.data import Dataset


class Base(Dataset):
    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n


class Plain:
    def __init__(self, n: int) -> None:
        self.n = n


def generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def torch_generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
