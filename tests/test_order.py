"""The findings of a file, their words and ways included, are the same whatever hashes and addresses a process has."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flake8_tensorbranch import project as project_module
from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.trees import put_project

KINDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
BASE = "import random\n\nimport torch\nfrom torch import Tensor, nn\n"


def layer(name: str, module: str, number: int) -> str:
    """A layer whose forward leads to the shared functions by a way of its own."""
    return f"""

class {name}(nn.Module):
    def __init__(self, size: int, scale=None):
        super().__init__()
        self.size = size
        self.scale = scale
        self.seen = torch.zeros({number + 1})

    def mean(self, x: Tensor):
        return x.mean(dim={number})

    def bound(self):
        return {"self.seen.max()" if number % 2 else "self.size"}

    def forward(self, x: Tensor) -> Tensor:
        if self.bound() > {number}:
            x = x + {number}
        return {module}clamped(self.mean(x), {number})
"""


def chosen(made: str) -> str:
    """The branches that make one layer for each kind."""
    return "".join(
        f'    if kind == "{kind}":\n        return {made.format(kind=kind, name=kind.capitalize())}\n' for kind in KINDS
    )


SHARED = (
    BASE
    + """

def clamped(x: Tensor, most) -> Tensor:
    if x.max() > most:
        x = x / 2
    return dropped(x)


def dropped(x: Tensor) -> Tensor:
    if random.random() < 0.5:
        return x
    for _ in range(x.shape[0]):
        x = x * 2
    return x
"""
)

# One class name in several files, and all of them behind one call.
PARTS = {
    f"net/{kind}.py": BASE + "\nfrom . import shared\n" + layer("Layer", "shared.", number)
    for number, kind in enumerate(KINDS)
}

MODEL = (
    BASE
    + f"""from functools import partial

from torch.utils.checkpoint import checkpoint

from . import {", ".join(KINDS)}
from .shared import clamped
"""
    + "".join(layer(kind.capitalize(), "", number) for number, kind in enumerate(KINDS))
    + f"""

TABLE = {{{", ".join(f'"{kind}": {kind}.Layer' for kind in KINDS)}}}
OWN = {{{", ".join(f'"{kind}": {kind.capitalize()}' for kind in KINDS)}}}


def pick(kind: str):
{chosen("{kind}.Layer(1)")}    return Alpha(2)


def build(kind: str, scale):
{chosen("{name}(1, scale)")}    return partial(clamped, most=scale)


def settle(x: Tensor, limit):
    if limit > 0 and x.sum() > limit:
        return clamped(x, limit)
    return random.choice([x, -x])


class Net(nn.Module):
    def __init__(self, kind: str, size: int):
        super().__init__()
        self.first = pick(kind)
        self.second = build(kind, torch.ones(1))
        self.third = OWN[kind](size)
        self.fourth = TABLE[kind](size)

    def one(self, x: Tensor):
        return self.second(settle(x, self.first.bound()))

    def two(self, x: Tensor):
        return self.third(settle(x, self.third.bound()))

    def three(self, x: Tensor):
        return self.fourth(settle(x, self.fourth.bound()))

    def forward(self, x: Tensor, kind: str):
        step = {{"one": self.one, "two": self.two, "three": self.three}}[kind]
        x = checkpoint(step, x, use_reentrant=False)
        x = checkpoint(self.first if x.shape[0] > 1 else self.second, x, use_reentrant=False)
        if self.third.bound() > self.fourth.bound():
            x = self.first(x)
        return step(x)


@torch.compile
def run(net: Net, x: Tensor, kind: str):
    for layer in (net.first, net.second, net.third, net.fourth):
        x = layer(x)
    return net(x, kind)
"""
)
PROJECT = {"net/__init__.py": "", "net/shared.py": SHARED, "net/model.py": MODEL, **PARTS}
NAMES = ("net/alpha.py", "net/model.py", "net/shared.py", "net/zeta.py")

PROGRAM = """
import random, sys

number, *paths = sys.argv[1:]
random.seed(int(number))
junk = [bytearray(random.randrange(1, 3000)) for _ in range(random.randrange(1, 9000))][::2]

from flake8_tensorbranch.project import Project
from tests.test_order import findings

project = Project()
for path in paths:
    for line in findings(path, project):
        print(line)
"""


def findings(path: str, project: Project) -> list[str]:
    """Everything there is to say of what is found in a file, and of what is withheld."""
    found: list[Diagnostic] = []
    for settings in (Settings(enable=("TBR",)), Settings(enable=("TBR",), compiled=("*",), checkpointed=("*",))):
        source = SourceFile(path, Path(path).read_text())
        withheld: list[Diagnostic] = []
        found += [*check_source(source, settings, None, project, withheld), *withheld]
    return [f"{path}: {item!r}" for item in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("order")
    put_project(path, PROJECT)
    return path


@pytest.fixture
def alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What each file gets in a project of its own."""
    monkeypatch.chdir(folder)
    return {name: findings(name, Project()) for name in NAMES}


def in_a_process(folder: Path, seed: int) -> list[str]:
    """What a process of its own finds, with hashes and addresses of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(seed), *NAMES],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_hashes_and_addresses_decide_nothing(folder: Path, alone: dict[str, list[str]]) -> None:
    expected = [line for lines in alone.values() for line in lines]
    assert sum("related=(Related(" in line for line in expected) > 40
    for seed in range(1, 5):
        assert in_a_process(folder, seed) == expected, seed


@pytest.mark.parametrize("most", [600, 2])
def test_what_was_checked_before_and_is_kept_decides_nothing(
    alone: dict[str, list[str]], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_module, "MAX_MODULES", most)
    monkeypatch.setattr(project_module, "KEPT_MODULES", most - 1)
    for order in itertools.permutations(NAMES, 3):
        project = Project()
        assert {name: findings(name, project) for name in order} == {name: alone[name] for name in order}


DECLARED = {
    "low.py": """\
import torch
from torch import Tensor


def summed(x: Tensor) -> Tensor:
    return torch.unique(x)


def ranked(x: Tensor) -> Tensor:
    _, inverse = torch.unique(x, return_inverse=True)
    return summed(x)[inverse]


def updated(x: Tensor):
    ranking = ranked(x).float()
    if len(ranking) > 0:
        x = x + 1
    return x
""",
    "high.py": """\
from torch import Tensor, nn

from low import updated


class Metric(nn.Module):
    def forward(self, x: Tensor):
        return updated(x)
""",
}


def test_how_far_a_file_was_asked_before_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_project(tmp_path, DECLARED)
    monkeypatch.chdir(tmp_path)
    project = Project()
    findings("high.py", project)
    assert findings("low.py", project) == findings("low.py", Project())
