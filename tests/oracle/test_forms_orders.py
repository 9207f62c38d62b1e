"""TBR606: orders drawn through partials, helpers, classes and permutations, and those that a seed settles, on torch."""

from __future__ import annotations

import random
import textwrap

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import loaded

torch = require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]

HEAD = """import functools
import itertools
import random
from contextlib import ExitStack, contextmanager
from functools import partial

import numpy as np
import torch
import torch.utils.data as tud
from torch.utils import data
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, Subset, SubsetRandomSampler, random_split

torch.use_deterministic_algorithms(True)

ROWS = list(range(10))
MAKE = partial(DataLoader, batch_size=None, shuffle=True)
MAKE_OFF = partial(DataLoader, batch_size=None, shuffle=False)
SEED = 3


def seeded():
    return torch.Generator().manual_seed(0)


class Own(DataLoader):
    pass


class Shuffled(DataLoader):
    def __init__(self, rows, **options):
        super().__init__(rows, batch_size=None, shuffle=True, **options)


class Named(DataLoader):
    def __init__(self, rows, **options):
        DataLoader.__init__(self, rows, batch_size=None, shuffle=True, **options)


class Seeded(DataLoader):
    def __init__(self, rows, seed=0):
        super().__init__(rows, batch_size=None, shuffle=True, generator=torch.Generator().manual_seed(seed))


class Sampled(RandomSampler):
    pass


def build(rows, shuffle):
    return DataLoader(rows, batch_size=None, shuffle=shuffle)


def build_on(rows, shuffle=True, generator=None):
    return DataLoader(rows, batch_size=None, shuffle=shuffle, generator=generator)


def build_options(rows, **options):
    return DataLoader(rows, batch_size=None, **options)


def seed_all(seed):
    random.seed(seed)
    torch.manual_seed(seed)


def seed_hosts(seed):
    random.seed(seed)
    np.random.seed(seed)
"""
FORMS = {
    "p_local": "make = partial(DataLoader, shuffle=True, batch_size=None)\nreturn list(make(ROWS))",
    "p_module": "return list(MAKE(ROWS))",
    "p_module_off": "return list(MAKE_OFF(ROWS))",
    "p_over_off": "return list(MAKE(ROWS, shuffle=False))",
    "p_over_on": "return list(MAKE_OFF(ROWS, shuffle=True))",
    "p_gen": "return list(MAKE(ROWS, generator=seeded()))",
    "p_gen_in": (
        "make = partial(DataLoader, shuffle=True, batch_size=None, generator=seeded())\nreturn list(make(ROWS))"
    ),
    "p_pos": "make = partial(DataLoader, ROWS, 1, True)\nreturn list(make())",
    "p_pos_off": "make = partial(DataLoader, ROWS, 1, False)\nreturn list(make())",
    "p_pos_gen": "make = partial(DataLoader, ROWS, 1, True)\nreturn list(make(generator=seeded()))",
    "p_call": "return list(partial(DataLoader, batch_size=None)(ROWS, shuffle=True))",
    "p_sampler": "make = partial(RandomSampler, replacement=False)\nreturn list(make(ROWS))",
    "p_sampler_gen": "make = partial(RandomSampler, generator=seeded())\nreturn list(make(ROWS))",
    "p_split": "cut = partial(random_split, lengths=[5, 5])\nreturn list(cut(ROWS)[0])",
    "p_split_gen": "cut = partial(random_split, lengths=[5, 5], generator=seeded())\nreturn list(cut(ROWS)[0])",
    "alias_local": "loader = DataLoader\nreturn list(loader(ROWS, batch_size=None, shuffle=True))",
    "alias_gen": "loader = DataLoader\nreturn list(loader(ROWS, batch_size=None, shuffle=True, generator=seeded()))",
    "renamed": "loader = DataLoader(ROWS, batch_size=None, shuffle=True)\ntrain = loader\nreturn list(train)",
    "renamed_off": "loader = DataLoader(ROWS, batch_size=None)\ntrain = loader\nreturn list(train)",
    "lam": "make = lambda rows: DataLoader(rows, batch_size=None, shuffle=True)\nreturn list(make(ROWS))",
    "lam_flag": "make = lambda rows, on: DataLoader(rows, batch_size=None, shuffle=on)\nreturn list(make(ROWS, True))",
    "lam_off": "make = lambda rows, on: DataLoader(rows, batch_size=None, shuffle=on)\nreturn list(make(ROWS, False))",
    "sub_own": "return list(Own(ROWS, batch_size=None, shuffle=True))",
    "sub_own_off": "return list(Own(ROWS, batch_size=None))",
    "sub_own_gen": "return list(Own(ROWS, batch_size=None, shuffle=True, generator=seeded()))",
    "sub_sampled": "return list(Sampled(ROWS))",
    "sub_sampled_gen": "return list(Sampled(ROWS, generator=seeded()))",
    "dict_cls": "cls = {'train': DataLoader}['train']\nreturn list(cls(ROWS, batch_size=None, shuffle=True))",
    "starred": "args = (ROWS, 1, True)\nreturn list(DataLoader(*args))",
    "starred_off": "args = (ROWS, 1, False)\nreturn list(DataLoader(*args))",
    "kw_set": "options = {'batch_size': None}\noptions['shuffle'] = True\nreturn list(DataLoader(ROWS, **options))",
    "kw_upd": "options = {'batch_size': None}\noptions.update(shuffle=True)\nreturn list(DataLoader(ROWS, **options))",
    "perm_subset": "return list(Subset(ROWS, torch.randperm(10).tolist()))",
    "perm_subset_gen": "return list(Subset(ROWS, torch.randperm(10, generator=seeded()).tolist()))",
    "perm_name": "order = torch.randperm(len(ROWS))\nreturn list(DataLoader(Subset(ROWS, order[:5]), batch_size=None))",
    "perm_sampler": "return list(DataLoader(ROWS, batch_size=None, sampler=torch.randperm(10).tolist()))",
    "perm_sampler_gen": (
        "return list(DataLoader(ROWS, batch_size=None, sampler=torch.randperm(10, generator=seeded()).tolist()))"
    ),
    "perm_batches": (
        "order = torch.randperm(10).tolist()\n"
        "return [i for b in DataLoader(ROWS, batch_sampler=BatchSampler(order, 2, False)) for i in b]"
    ),
    "perm_index_gen": "order = torch.randperm(10, generator=seeded())\nreturn [ROWS[i] for i in order]",
    "np_perm_subset": "return list(Subset(ROWS, np.random.RandomState(0).permutation(10)))",
    "gen_var": (
        "g = torch.Generator()\n"
        "g.manual_seed(1)\n"
        "return list(DataLoader(ROWS, batch_size=None, shuffle=True, generator=g))"
    ),
    "default_gen": "return list(DataLoader(ROWS, batch_size=None, shuffle=True, generator=torch.default_generator))",
    "gen_none_var": "g = None\nreturn list(DataLoader(ROWS, batch_size=None, shuffle=True, generator=g))",
    "seed_before": "torch.manual_seed(0)\nreturn list(DataLoader(ROWS, batch_size=None, shuffle=True))",
    "seed_before_name": (
        "torch.manual_seed(SEED)\nloader = DataLoader(ROWS, batch_size=None, shuffle=True)\nreturn [i for i in loader]"
    ),
    "seed_before_for": (
        "out = []\n"
        "loader = DataLoader(ROWS, batch_size=None, shuffle=True)\n"
        "torch.manual_seed(SEED)\n"
        "for i in loader:\n"
        "    out.append(i)\n"
        "return out"
    ),
    "seed_before_split": "torch.manual_seed(0)\na, b = random_split(ROWS, [5, 5])\nreturn list(a)",
    "seed_before_perm": "torch.manual_seed(0)\nreturn list(Subset(ROWS, torch.randperm(10).tolist()))",
    "seed_epochs": (
        "out = []\n"
        "loader = DataLoader(ROWS, batch_size=None, shuffle=True)\n"
        "for epoch in range(2):\n"
        "    torch.manual_seed(epoch)\n"
        "    for i in loader:\n"
        "        out.append(i)\n"
        "return out"
    ),
    "seed_helper": "seed_all(0)\nreturn list(DataLoader(ROWS, batch_size=None, shuffle=True))",
    "seed_hosts_": "seed_hosts(0)\nreturn list(DataLoader(ROWS, batch_size=None, shuffle=True))",
    "seed_random": "random.seed(0)\nreturn list(DataLoader(ROWS, batch_size=None, shuffle=True))",
    "seed_cuda": "torch.cuda.manual_seed_all(0)\nreturn list(DataLoader(ROWS, batch_size=None, shuffle=True))",
    "seed_fork": (
        "with torch.random.fork_rng():\n"
        "    torch.manual_seed(0)\n"
        "    return list(DataLoader(ROWS, batch_size=None, shuffle=True))"
    ),
    "seed_gen": "torch.default_generator.manual_seed(0)\nreturn list(DataLoader(ROWS, batch_size=None, shuffle=True))",
    "seed_random_seed": "torch.random.manual_seed(0)\nreturn list(DataLoader(ROWS, batch_size=None, shuffle=True))",
    "seed_if": "if SEED:\n    torch.manual_seed(SEED)\nreturn list(DataLoader(ROWS, batch_size=None, shuffle=True))",
    "seed_if_none": (
        "seed = 5\n"
        "if seed is not None:\n"
        "    torch.manual_seed(seed)\n"
        "return list(DataLoader(ROWS, batch_size=None, shuffle=True))"
    ),
    "seed_sampler": (
        "torch.manual_seed(0)\n"
        "sampler = RandomSampler(ROWS)\n"
        "return list(DataLoader(ROWS, batch_size=None, sampler=sampler))"
    ),
    "seed_state": (
        "torch.set_rng_state(torch.Generator().manual_seed(1).get_state())\n"
        "return list(DataLoader(ROWS, batch_size=None, shuffle=True))"
    ),
    "seed_hosts_too": (
        "torch.manual_seed(0)\n"
        "random.seed(0)\n"
        "np.random.seed(0)\n"
        "return list(DataLoader(ROWS, batch_size=None, shuffle=True))"
    ),
    "seed_enum": (
        "torch.manual_seed(0)\nreturn [i for _, i in enumerate(DataLoader(ROWS, batch_size=None, shuffle=True))]"
    ),
    "seed_iter": (
        "loader = DataLoader(ROWS, batch_size=None, shuffle=True)\n"
        "torch.manual_seed(0)\n"
        "it = iter(loader)\n"
        "return [next(it) for _ in range(10)]"
    ),
    "seed_next": (
        "loader = DataLoader(ROWS, batch_size=None, shuffle=True)\ntorch.manual_seed(0)\nreturn [next(iter(loader))]"
    ),
    "seed_len": (
        "loader = DataLoader(ROWS, batch_size=None, shuffle=True)\n"
        "n = len(loader)\n"
        "torch.manual_seed(n)\n"
        "return list(loader)"
    ),
    "seed_islice": (
        "loader = DataLoader(ROWS, batch_size=None, shuffle=True)\n"
        "torch.manual_seed(1)\n"
        "return list(itertools.islice(loader, 4))"
    ),
    "by_try": (
        "try:\n"
        "    loader = DataLoader(ROWS, batch_size=None, shuffle=True)\n"
        "    return list(loader)\n"
        "finally:\n"
        "    pass"
    ),
    "concat": "return list(DataLoader(data.ConcatDataset([ROWS, ROWS]), batch_size=None, shuffle=True))",
    "batchsampler": (
        "return [i for b in DataLoader(ROWS, batch_sampler=BatchSampler(RandomSampler(ROWS), 2, False)) for i in b]"
    ),
    "batchsampler_gen": (
        "return [i for b in DataLoader(ROWS, "
        "batch_sampler=BatchSampler(RandomSampler(ROWS, generator=seeded()), 2, False)) for i in b]"
    ),
    "distributed": (
        "return list(DataLoader(ROWS, batch_size=None, sampler=data.DistributedSampler(ROWS, 1, 0, shuffle=True)))"
    ),
    "num_samples": "return list(RandomSampler(ROWS, True, 4))",
    "num_samples_gen": "return list(RandomSampler(ROWS, True, 4, seeded()))",
    "weighted_gen": "return list(data.WeightedRandomSampler([1.0] * 10, 10, True, seeded()))",
    "cond_kw": "return list(DataLoader(ROWS, batch_size=None, **({'shuffle': True} if SEED else {})))",
}
PROGRAM = HEAD + "".join(f"\n\ndef {name}():\n{textwrap.indent(body, '    ')}\n" for name, body in FORMS.items())
ALONE = {
    "h_on": "build(ROWS, True)",
    "h_off": "build(ROWS, False)",
    "h_default": "build_on(ROWS)",
    "h_default_off": "build_on(ROWS, shuffle=False)",
    "h_default_gen": "build_on(ROWS, generator=seeded())",
    "h_opt": "build_options(ROWS, shuffle=True)",
    "h_opt_off": "build_options(ROWS, shuffle=False)",
    "h_opt_gen": "build_options(ROWS, shuffle=True, generator=seeded())",
    "Shuffled": "Shuffled(ROWS)",
    "Shuffled_gen": "Shuffled(ROWS, generator=seeded())",
    "Named": "Named(ROWS)",
    "Seeded": "Seeded(ROWS)",
}
"""What a program of one form gives, whose report stands in the class or helper that it uses."""


def changes(source: str, name: str) -> bool:
    """True when three draws from the global generator before a form change the order that it gives."""

    def order(draws: int) -> list[int]:
        with loaded(source) as module:
            torch.manual_seed(0)
            random.seed(0)
            torch.rand(draws)
            return [int(element) for element in getattr(module, name)()]

    return order(0) != order(3)


def test_orders_that_an_earlier_draw_changes_are_reported() -> None:
    wrong = {name for name in FORMS if changes(PROGRAM, name)}
    assert 20 < len(wrong) < len(FORMS) - 20
    assert set(reported(PROGRAM, "TBR606")) - {"Shuffled", "Named"} == wrong


@pytest.mark.parametrize("form", ALONE)
def test_orders_of_helpers_and_classes(form: str) -> None:
    source = f"{HEAD}\ndef form():\n    return list({ALONE[form]})\n"
    places = reported(source, "TBR606")
    for unused in {"Shuffled", "Named"} - {ALONE[form].partition("(")[0]}:
        places.pop(unused, None)
    assert bool(places) is changes(source, "form")
