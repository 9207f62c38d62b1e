"""TBR605: a stored generator draws the same in every worker and every epoch; one made in the worker does not."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


RUN = """
import json
torch.manual_seed(0)
batches = loader()
print(json.dumps([[batch.tolist() for batch in batches] for _ in range(2)]))
"""


def _epochs(source: str) -> Any:
    """Two epochs of two batches; with two workers, each batch is one worker's.

    In a process of its own: workers forked from one that has run threads can wait for them forever.
    """
    done = subprocess.run([sys.executable, "-c", source + RUN], capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


def test_every_worker_and_epoch_draws_the_same() -> None:
    first, second = _epochs(page("TBR605").example)
    alike = f"the workers draw the same: {first[0] == first[1]}; the epochs draw the same: {first == second}"
    tell("two workers, two epochs", alike)
    assert first[0] == first[1]
    assert first == second


def test_made_in_the_worker_they_differ() -> None:
    first, second = _epochs(page("TBR605").repair)
    assert first[0] != first[1]
    assert first != second


VARIABLES = """
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

ARRAYS = np.random.default_rng(0)
STATE = np.random.RandomState(0)
NUMBERS = random.Random(0)
TENSORS = torch.Generator().manual_seed(0)
SEEDED = random.Random(0)


def helper() -> float:
    return float(STATE.rand())


class Noisy(Dataset):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> torch.Tensor:
        SEEDED.seed(torch.initial_seed() + i)
        own = [float(ARRAYS.random()), helper(), NUMBERS.random(), float(torch.rand(1, generator=TENSORS))]
        return torch.tensor([*own, SEEDED.random(), random.random(), float(torch.rand(1))])


def loader() -> DataLoader:
    return DataLoader(Noisy(), batch_size=2, num_workers=2)
"""


def test_module_variables_that_workers_copy_are_reported() -> None:
    first, _ = _epochs(VARIABLES)
    alike = [one == other for one, other in zip(zip(*first[0], strict=True), zip(*first[1], strict=True), strict=True)]
    names = ["ARRAYS", "STATE", "NUMBERS", "TENSORS", "SEEDED", "random", "torch"]
    copied = {name for name, same in zip(names, alike, strict=True) if same}
    assert copied == {"ARRAYS", "STATE", "NUMBERS", "TENSORS"}
    assert {message.split("`")[1] for message in reported(VARIABLES, "TBR605")[""]} == copied
