# options: --tbr-enable=TBR606
"""TBR606: a deterministic run shuffles with the global generator."""

import torch
from torch.utils import data
from torch.utils.data import DataLoader


def deterministic() -> None:
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)


def loaders(dataset, shuffle: bool = True) -> list[DataLoader]:
    deterministic()
    return [
        DataLoader(dataset, shuffle=True),  # error: [TBR606]
        data.DataLoader(dataset, batch_size=2, shuffle=shuffle),  # error: [TBR606]
        DataLoader(dataset, 4, True),  # error: [TBR606]
        DataLoader(dataset, shuffle=True, generator=torch.Generator().manual_seed(0)),  # ok: [TBR606] seeded
        DataLoader(dataset, shuffle=False),  # ok: [TBR606] not shuffled
        DataLoader(dataset),  # ok: [TBR606] not shuffled
    ]
