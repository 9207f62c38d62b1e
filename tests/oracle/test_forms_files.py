"""Regions that run functions and modules of another file: each call that is reported goes wrong on torch, no other."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.oracle.agree import diagnostics
from tests.oracle.support import graphs_compiled, importable, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

PARTS = '''"""Functions and modules that the other file runs in its regions."""

import functools

import torch
from torch import Tensor, nn

FACTORS = {size: 0.1 * size for size in range(2, 14)}
COUNT = {"calls": 0}
P = nn.Parameter(torch.ones(4))


def rows(x: Tensor) -> Tensor:
    return torch.stack([row.sin() for row in x])


def scaled(x: Tensor) -> Tensor:
    return x * FACTORS[x.shape[0]]


def ranked(x: Tensor) -> Tensor:
    for _ in range(x.ndim):
        x = x.sin()
    return x


def batched(x: Tensor) -> Tensor:
    return (x * torch.arange(x.shape[0])[:, None]).sin()


class Stepped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0

    def forward(self, x: Tensor) -> Tensor:
        self.step += 1
        return x * self.step


class Anew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0

    def forward(self, x: Tensor) -> Tensor:
        self.step = 0
        self.step += 1
        return x * self.step


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0
        self.scale = 2


def positive(x: Tensor) -> Tensor:
    return x[x > 0]


def found(x: Tensor) -> Tensor:
    return torch.where(x > 0)[0]


def zeroed(x: Tensor) -> Tensor:
    return torch.where(x > 0, x, 0.0)


def counted(x: Tensor) -> Tensor:
    COUNT["calls"] += 1
    return x.sin().cos()


def uncounted(x: Tensor) -> Tensor:
    return x.sin().cos()


@functools.lru_cache(maxsize=None)
def table() -> Tensor:
    return P.exp().sin()


@functools.lru_cache(maxsize=None)
def doubled() -> Tensor:
    return P * 2


def remembered(x: Tensor) -> Tensor:
    return x.sin() * table()


def cheaply(x: Tensor) -> Tensor:
    return x.sin() * doubled()
'''
MAIN = '''"""Regions around what the other file has."""

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from . import parts


@torch.compile(backend="eager")
def rows(x: Tensor) -> Tensor:
    return parts.rows(x)


@torch.compile(backend="eager")
def scaled(x: Tensor) -> Tensor:
    return parts.scaled(x)


@torch.compile(backend="eager")
def ranked(x: Tensor) -> Tensor:
    return parts.ranked(x)


@torch.compile(backend="eager")
def batched(x: Tensor) -> Tensor:
    return parts.batched(x)


@torch.compile(backend="eager")
def positive(x: Tensor) -> Tensor:
    return parts.positive(x).sin()


@torch.compile(backend="eager")
def found(x: Tensor) -> Tensor:
    return parts.found(x).sin()


@torch.compile(backend="eager")
def zeroed(x: Tensor) -> Tensor:
    return parts.zeroed(x).sin()


class Counting(parts.Counter):
    def forward(self, x: Tensor) -> Tensor:
        self.step += 1
        return x * self.step


class Steady(parts.Counter):
    def forward(self, x: Tensor) -> Tensor:
        return x * self.scale


def make_stepped():
    return torch.compile(parts.Stepped(), backend="eager")


def make_anew():
    return torch.compile(parts.Anew(), backend="eager")


counting = torch.compile(Counting(), backend="eager")
steady = torch.compile(Steady(), backend="eager")


def counted(x: Tensor) -> Tensor:
    return checkpoint(parts.counted, x, use_reentrant=False)


def uncounted(x: Tensor) -> Tensor:
    return checkpoint(parts.uncounted, x, use_reentrant=False)


def remembered(x: Tensor) -> Tensor:
    return checkpoint(parts.remembered, x, use_reentrant=False)


def cheaply(x: Tensor) -> Tensor:
    return checkpoint(parts.cheaply, x, use_reentrant=False)
'''
NAME = "tbr_forms_of_files"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Callable[[str], set[str]]]]:
    """The module, and by code the functions and classes of it in which something is reported."""
    folder = tmp_path_factory.mktemp("forms")
    with importable(folder, {f"{NAME}/__init__.py": "", f"{NAME}/parts.py": PARTS, f"{NAME}/main.py": MAIN}):
        items = diagnostics(MAIN, str(folder / NAME / "main.py"))

        def reported(code: str) -> set[str]:
            return {_top(item.line) for item in items if item.code == code}

        yield importlib.import_module(f"{NAME}.main"), reported


def _top(line: int) -> str:
    """The name of the definition at the top of the module that a line stands in."""
    above = [text for text in MAIN.splitlines()[:line] if text.startswith(("def ", "class "))]
    return above[-1].replace("(", " ").replace(":", " ").split()[1]


def over(call: Any, given: list[Any]) -> int:
    def action() -> None:
        for one in given:
            call(one)

    return graphs_compiled(action)


def test_loops_and_look_ups_by_a_size(package: Any) -> None:
    module, reported = package
    sizes = [torch.ones(rows, 4) for rows in range(2, 14)]
    names = ["rows", "scaled", "ranked", "batched"]
    assert reported("TBR302") == {name for name in names if over(getattr(module, name), sizes) == 8}


def test_state_of_modules(package: Any) -> None:
    module, reported = package
    same = [torch.ones(4)] * 12
    made = {"make_stepped": module.make_stepped(), "make_anew": module.make_anew()}
    made |= {"Counting": module.counting, "Steady": module.steady}
    assert reported("TBR303") == {name for name, call in made.items() if over(call, same) == 8}


def test_sizes_that_values_decide(package: Any) -> None:
    module, reported = package
    x = torch.linspace(-1.0, 1.0, 7)
    whole = {name for name in ("positive", "found", "zeroed") if over(getattr(module, name), [x]) == 1}
    assert reported("TBR307") == {"positive", "found", "zeroed"} - whole
    assert whole == {"zeroed"}


def step(call: Any) -> None:
    call(torch.linspace(0.1, 1.0, 4).requires_grad_()).sum().backward()


def test_state_that_counts_twice(package: Any) -> None:
    module, reported = package
    runs = {}
    for name in ("counted", "uncounted"):
        before = module.parts.COUNT["calls"]
        step(getattr(module, name))
        runs[name] = module.parts.COUNT["calls"] - before
    assert reported("TBR205") == {name for name, count in runs.items() if count == 2}
    assert runs == {"counted": 2, "uncounted": 0}


def test_caches_of_parameters(package: Any) -> None:
    module, reported = package
    names = ["remembered", "cheaply", "uncounted"]
    raising = {name for name in names if observe(step, getattr(module, name)).kind == "CheckpointError"}
    assert reported("TBR209") == raising == {"remembered"}
