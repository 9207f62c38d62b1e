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


def samplers(dataset, weights, own: torch.Generator) -> list[object]:
    deterministic()
    settled, _ = data.random_split(dataset, [8, 2])  # ok: [TBR606] nothing is drawn between the seed and it
    torch.rand(1)
    first, _ = data.random_split(dataset, [8, 2])  # error: [TBR606] "`random_split` draws"
    return [
        DataLoader(dataset, sampler=data.RandomSampler(dataset)),  # error: [TBR606] "`RandomSampler` draws"
        # The loader's generator is none of its sampler's.
        DataLoader(first, sampler=data.sampler.RandomSampler(first), generator=own),  # error: [TBR606]
        data.WeightedRandomSampler(weights, 4),  # error: [TBR606]
        data.SubsetRandomSampler(range(4)),  # error: [TBR606]
        data.RandomSampler(dataset, generator=own),  # ok: [TBR606] seeded
        data.SubsetRandomSampler(range(4), own),  # ok: [TBR606] by position
        data.random_split(dataset, [8, 2], own),  # ok: [TBR606] by position
        settled,
        data.SequentialSampler(dataset),  # ok: [TBR606] draws nothing
    ]


OPTIONS = {"shuffle": True}


def by_options(dataset) -> list[object]:
    deterministic()
    return [
        DataLoader(dataset, **OPTIONS),  # error: [TBR606]
        DataLoader(dataset, generator=torch.Generator().manual_seed(0), **OPTIONS),  # ok: [TBR606] seeded
        DataLoader(dataset, shuffle=True, generator=None),  # error: [TBR606]
    ]
