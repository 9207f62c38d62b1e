# options: --tbr-enable=TBR606
"""Loaders of a run that the file beside this one makes deterministic."""

from torch.utils.data import DataLoader

from .seeding import deterministic, generator


def loaders(dataset) -> list[DataLoader]:
    deterministic()
    return [
        DataLoader(dataset, shuffle=True),  # error: [TBR606]
        DataLoader(dataset, shuffle=True, generator=generator()),  # ok: [TBR606] the other file seeds it
        DataLoader(dataset, shuffle=False),  # ok: [TBR606] not shuffled
    ]
