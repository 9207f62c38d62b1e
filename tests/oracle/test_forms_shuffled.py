"""TBR606: loaders, samplers and splits by any spelling: reported where an earlier draw changes their order."""

from __future__ import annotations

import ast

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import loaded

torch = require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]

FORMS = """
import torch
from torch.utils import data
from torch.utils.data import DataLoader as Loader, RandomSampler, random_split
import torch.utils.data as tud

torch.use_deterministic_algorithms(True)


ROWS = list(range(10))


OPTIONS = {"shuffle": True}


SEEDED = {"shuffle": True, "generator": torch.Generator().manual_seed(0)}


TRAINING = True


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def plain() -> list[int]:
    return list(Loader(ROWS, batch_size=None, shuffle=True))


def in_order() -> list[int]:
    return list(Loader(ROWS, batch_size=None))


def by_module() -> list[int]:
    return list(data.DataLoader(ROWS, batch_size=None, shuffle=True))


def by_module2() -> list[int]:
    return list(tud.DataLoader(ROWS, batch_size=None, shuffle=True))


def by_options() -> list[int]:
    return list(Loader(ROWS, batch_size=None, **OPTIONS))


def by_dict() -> list[int]:
    return list(Loader(ROWS, **dict(batch_size=None, shuffle=True)))


def own() -> list[int]:
    return list(Loader(ROWS, batch_size=None, shuffle=True, generator=seeded()))


def own_options() -> list[int]:
    return list(Loader(ROWS, batch_size=None, **SEEDED))


def none_generator() -> list[int]:
    return list(Loader(ROWS, batch_size=None, shuffle=True, generator=None))


def positional() -> list[int]:
    return list(Loader(ROWS, 1, True))


def flag() -> list[int]:
    shuffle = TRAINING
    return list(Loader(ROWS, batch_size=None, shuffle=shuffle))


def off() -> list[int]:
    return list(Loader(ROWS, batch_size=None, shuffle=False))


def negated() -> list[int]:
    return list(Loader(ROWS, batch_size=None, shuffle=not TRAINING))


def sampler() -> list[int]:
    return list(Loader(ROWS, batch_size=None, sampler=RandomSampler(ROWS)))


def sampler_seeded() -> list[int]:
    return list(Loader(ROWS, batch_size=None, sampler=RandomSampler(ROWS, generator=seeded())))


def sampler_loader_seeded() -> list[int]:
    return list(Loader(ROWS, batch_size=None, sampler=RandomSampler(ROWS), generator=seeded()))


def split() -> list[int]:
    return list(random_split(ROWS, [5, 5])[0])


def split_seeded() -> list[int]:
    return list(random_split(ROWS, [5, 5], generator=seeded())[0])


def split_positional() -> list[int]:
    return list(random_split(ROWS, [5, 5], seeded())[0])


def weighted() -> list[int]:
    return list(data.WeightedRandomSampler([1.0] * 10, 10))


def subset() -> list[int]:
    return list(tud.SubsetRandomSampler(ROWS))
"""
NAMES = [n.name for n in ast.parse(FORMS).body if isinstance(n, ast.FunctionDef) and n.name != "seeded"]


def order(name: str, draws: int) -> list[int]:
    """What a form gives after so many draws from the global generator."""
    with loaded(FORMS) as module:
        torch.manual_seed(0)
        torch.rand(draws)
        return [int(element) for element in getattr(module, name)()]


def test_orders_that_an_earlier_draw_changes_are_reported() -> None:
    assert set(reported(FORMS, "TBR606")) == {name for name in NAMES if order(name, 0) != order(name, 3)}
