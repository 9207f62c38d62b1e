"""TBR605: generators that workers get copies of, kept in any way: reported where workers and epochs draw alike."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from tests.oracle.agree import reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import random
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch
from numpy.random import default_rng
from torch.utils import data
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
"""


def dataset(
    init: str | None = "",
    item: str = "return 0.0",
    pre: str = "",
    base: str = "Dataset",
    extra: str = "",
    loader: str = "DataLoader(Own(), batch_size=2, num_workers=2)",
) -> str:
    """A dataset of four numbers and its loader."""
    parts = [pre, f"class Own({base}):"]
    if init is not None:
        parts.append(f"    def __init__(self):\n{textwrap.indent(init or 'pass', '        ')}\n")
    parts.append("    def __len__(self):\n        return 4\n")
    parts.append(f"    def __getitem__(self, i):\n{textwrap.indent(item, '        ')}\n")
    return "\n".join([*parts, textwrap.indent(extra, "    "), f"\ndef loader():\n    return {loader}\n"])


FORMS = {
    "np": dataset(init="self.rng = np.random.default_rng(0)", item="return float(self.rng.random())"),
    "np_unseeded": dataset(init="self.rng = np.random.default_rng()", item="return float(self.rng.random())"),
    "tg": dataset(
        init="self.g = torch.Generator().manual_seed(0)", item="return float(torch.rand(1, generator=self.g))"
    ),
    "alias_made": dataset(
        init="make = np.random.default_rng\nself.rng = make(0)", item="return float(self.rng.random())"
    ),
    "local_first": dataset(
        init="rng = np.random.default_rng(0)\nself.rng = rng", item="return float(self.rng.random())"
    ),
    "partial_made": dataset(
        init="self.rng = MAKE()", item="return float(self.rng.random())", pre="MAKE = partial(np.random.default_rng, 0)"
    ),
    "helper_made": dataset(
        init="self.rng = make()",
        item="return float(self.rng.random())",
        pre="def make():\n    return np.random.default_rng(0)",
    ),
    "list_kept": dataset(init="self.rngs = [np.random.default_rng(0)]", item="return float(self.rngs[0].random())"),
    "dict_kept": dataset(
        init="self.rngs = {'a': np.random.default_rng(0)}", item="return float(self.rngs['a'].random())"
    ),
    "method_bound": dataset(init="self.draw = np.random.default_rng(0).random", item="return float(self.draw())"),
    "class_attr": dataset(init=None, item="return float(self.rng.random())", extra="rng = np.random.default_rng(0)"),
    "tuple_store": dataset(
        init="self.a, self.rng = 1, np.random.default_rng(0)", item="return float(self.rng.random())"
    ),
    "helper_method": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return self.noise()",
        extra="\ndef noise(self):\n    return float(self.rng.random())\n",
    ),
    "set_method": dataset(
        init="self.start()",
        item="return float(self.rng.random())",
        extra="\ndef start(self):\n    self.rng = np.random.default_rng(0)\n",
    ),
    "local_alias": dataset(
        init="self.rng = np.random.default_rng(0)", item="rng = self.rng\nreturn float(rng.random())"
    ),
    "passed_on": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return noise(self.rng)",
        pre="def noise(rng):\n    return float(rng.random())",
    ),
    "transform_obj": dataset(
        init="self.t = Noise()",
        item="return self.t(1.0)",
        pre=(
            "class Noise:\n    def __init__(self):\n        self.rng = np.random.default_rng(0)\n"
            "\n    def __call__(self, x):\n        return x * float(self.rng.random())"
        ),
    ),
    "transform_lambda": dataset(
        init="rng = np.random.default_rng(0)\nself.t = lambda x: x * float(rng.random())", item="return self.t(1.0)"
    ),
    "transform_module": dataset(
        init="self.t = noise",
        item="return self.t(1.0)",
        pre="RNG = np.random.default_rng(0)\n\n\ndef noise(x):\n    return x * float(RNG.random())",
    ),
    "in_item": dataset(init="pass", item="return float(np.random.default_rng().random())"),
    "in_item_seeded": dataset(
        init="pass", item="return float(np.random.default_rng(torch.initial_seed() + i).random())"
    ),
    "reseed": dataset(
        init="self.rng = random.Random(0)", item="self.rng.seed(torch.initial_seed() + i)\nreturn self.rng.random()"
    ),
    "reseed_const": dataset(init="self.rng = random.Random(0)", item="self.rng.seed(3)\nreturn self.rng.random()"),
    "lazy": dataset(
        init="self.rng = None",
        item=(
            "if self.rng is None:\n    self.rng = np.random.default_rng(torch.initial_seed() % 2**32)\n"
            "return float(self.rng.random())"
        ),
    ),
    "global_np": dataset(init="np.random.seed(0)", item="return float(np.random.random())"),
    "global_torch": dataset(init="pass", item="return float(torch.rand(1))"),
    "spawned": dataset(
        init="self.seed = np.random.SeedSequence(0)",
        item=(
            "info = get_worker_info()\n"
            "rng = np.random.default_rng([info.id, torch.initial_seed() % 2**32, i])\nreturn float(rng.random())"
        ),
    ),
    "init_only": dataset(
        init="rng = np.random.default_rng(0)\nself.values = rng.random(4)", item="return float(self.values[i])"
    ),
    "init_kept_unused": dataset(
        init="self.rng = np.random.default_rng(0)\nself.values = self.rng.random(4)",
        item="return float(self.values[i])",
    ),
    "no_workers": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return float(self.rng.random())",
        loader="DataLoader(Own(), batch_size=2)",
    ),
    "no_workers_0": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return float(self.rng.random())",
        loader="DataLoader(Own(), batch_size=2, num_workers=0)",
    ),
    "worker_init": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return float(self.rng.random())",
        pre=(
            "def begin(worker):\n    "
            "get_worker_info().dataset.rng = np.random.default_rng(torch.initial_seed() % 2**32)"
        ),
        loader="DataLoader(Own(), batch_size=2, num_workers=2, worker_init_fn=begin)",
    ),
    "workers_partial": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return float(self.rng.random())",
        pre="MAKE = partial(DataLoader, batch_size=2, num_workers=2)",
        loader="MAKE(Own())",
    ),
    "workers_options": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return float(self.rng.random())",
        pre="OPTIONS = {'num_workers': 2, 'batch_size': 2}",
        loader="DataLoader(Own(), **OPTIONS)",
    ),
    "workers_name": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return float(self.rng.random())",
        pre="WORKERS = 2",
        loader="DataLoader(Own(), batch_size=2, num_workers=WORKERS)",
    ),
    "workers_name_0": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return float(self.rng.random())",
        pre="WORKERS = 0",
        loader="DataLoader(Own(), batch_size=2, num_workers=WORKERS)",
    ),
    "base_own": dataset(
        init="super().__init__()",
        item="return float(self.rng.random())",
        pre=(
            "class Base(Dataset):\n    def __init__(self):\n        self.rng = np.random.default_rng(0)\n"
            "\n    def __len__(self):\n        return 4\n\n    def __getitem__(self, i):\n        return 0.0"
        ),
        base="Base",
    ),
    "subset": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return float(self.rng.random())",
        loader="DataLoader(data.Subset(Own(), [0, 1, 2, 3]), batch_size=2, num_workers=2)",
    ),
    "plain_class": dataset(
        init="self.rng = np.random.default_rng(0)", item="return float(self.rng.random())", base="object"
    ),
    "getitems": dataset(
        init="self.rng = np.random.default_rng(0)",
        item="return 0.0",
        extra="\ndef __getitems__(self, many):\n    return [float(self.rng.random()) for _ in many]\n",
    ),
}
PROGRAMS = """
### handed
class Own(Dataset):
    def __init__(self, rng):
        self.rng = rng

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return float(self.rng.random())


def loader():
    return DataLoader(Own(np.random.default_rng(0)), batch_size=2, num_workers=2)


### handed_default
class Own(Dataset):
    def __init__(self, rng=np.random.default_rng(0)):
        self.rng = rng

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return float(self.rng.random())


def loader():
    return DataLoader(Own(), batch_size=2, num_workers=2)


### base_item
class Base(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return float(self.rng.random())


class Own(Base):
    def __init__(self):
        self.rng = np.random.default_rng(0)


def loader():
    return DataLoader(Own(), batch_size=2, num_workers=2)


### dataclass
@dataclass
class Own(Dataset):
    rng: random.Random = field(default_factory=lambda: random.Random(0))

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return self.rng.random()


def loader():
    return DataLoader(Own(), batch_size=2, num_workers=2)


### iterable
class Own(IterableDataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __iter__(self):
        for _ in range(2):
            yield float(self.rng.random())


def loader():
    return DataLoader(Own(), batch_size=2, num_workers=2)


### iterable_info
class Own(IterableDataset):
    def __init__(self):
        self.rng = None

    def __iter__(self):
        rng = np.random.default_rng(torch.initial_seed() % 2**32)
        for _ in range(2):
            yield float(rng.random())


def loader():
    return DataLoader(Own(), batch_size=2, num_workers=2)


### collate
RNG = random.Random(0)


def collate(rows):
    return torch.tensor([RNG.random() for _ in rows])


class Own(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return 0.0


def loader():
    return DataLoader(Own(), batch_size=2, num_workers=2, collate_fn=collate)
"""
FORMS.update({text.partition("\n")[0]: text.partition("\n")[2] for text in PROGRAMS.split("### ")[1:]})
RUN = """
import json
import sys
import types

import torch

drawn = {}
for name, source in json.load(sys.stdin).items():
    module = sys.modules[name] = types.ModuleType(name)
    exec(source, module.__dict__)
    torch.manual_seed(0)
    batches = module.loader()
    drawn[name] = [[[float(value) for value in batch] for batch in batches] for _ in range(2)]
print(json.dumps(drawn))
"""


@pytest.fixture(scope="module")
def drawn() -> Any:
    """What two epochs of two batches draw, by form; in a process of its own, whose workers are forked."""
    given = json.dumps({f"form_{name}": HEAD + form for name, form in FORMS.items()})
    command = [sys.executable, "-W", "ignore", "-c", RUN]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, timeout=240)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", FORMS)
def test_copies_are_reported(name: str, drawn: Any) -> None:
    first, second = drawn[f"form_{name}"]
    alike = first[0] == first[1] and first == second
    assert bool(reported(HEAD + FORMS[name], "TBR605")) is alike


def test_some_are_copied_and_some_are_not(drawn: Any) -> None:
    alike = [first[0] == first[1] and first == second for first, second in drawn.values()]
    assert 15 < sum(alike) < len(alike) - 10
