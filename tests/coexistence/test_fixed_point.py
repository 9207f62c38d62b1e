"""Ruff, flake8 and we, in any order and over and over: the text comes to rest, and what we find in it stays."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.coexistence.processes import ruff, run, tensorbranch
from tests.trees import put

PROJECT = {
    "pyproject.toml": """\
[tool.ruff]
line-length = 100

[tool.ruff.lint]
external = ["TBR"]
extend-select = ["RUF100", "RUF101", "RUF102", "I", "UP", "SIM"]

[tool.tensorbranch]
preview = false
""",
    "setup.cfg": "[flake8]\nselect = TBR\n",
    "model.py": """\
import sys, os
import torch
from typing import Optional
from torch.utils.checkpoint import checkpoint
from helpers import positive


def scale(x: torch.Tensor, by: Optional[float] = None) -> torch.Tensor:
    if positive(x):
        x = x * 2
    if x.sum() > 0:  # noqa: TBR101, E501
        x = x * 3
    if x.min() > 0:  # ruff: ignore[TBR101]
        x = x * 4
    if x.max() > 0:  # noqa: TBR101 eager only
        x = x * 5
    # ruff: disable[TBR101]
    if x.mean() > 0:
        x = x * 6
    # ruff: enable[TBR101]
    y = x.sum(); z = (y > 1) == True
    return x


def step(block: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    x = checkpoint(block, x * 2)
    return checkpoint(block, x * 3)  # noqa: TBR506
""",
    "helpers.py": """\
# ruff: noqa: TBR102
import torch


def positive(x: "torch.Tensor") -> bool:
    return bool((x > 0).any())


def count(x: torch.Tensor) -> torch.Tensor:
    while x.sum() > 0:
        x = x - 1
    unused = 1  # noqa: F841
    return x
""",
}
# What is reported of the project: by file, code, and the text of the line.
FOUND = Counter(
    {("model.py", "TBR101", "if positive(x):"): 1, ("model.py", "TBR506", "x = checkpoint(block, x * 2)"): 1}
)
Action = Callable[[Path], None]


def default(folder: Path) -> None:
    assert ruff(".", "--fix", "--exit-zero", "-q", cwd=folder).err == ""


def preview(folder: Path) -> None:
    assert ruff(".", "--fix", "--unsafe-fixes", "--preview", "--exit-zero", "-q", cwd=folder).err == ""


def form(folder: Path) -> None:
    assert run("ruff", "format", "--no-cache", "-q", ".", cwd=folder).status == 0


def look(folder: Path) -> None:
    assert tensorbranch("check", "--exit-zero", ".", cwd=folder).status == 0


def repair(folder: Path) -> None:
    assert tensorbranch("check", "--fix", "--unsafe-fixes", "--exit-zero", ".", cwd=folder).status == 0


def found(folder: Path) -> Counter[tuple[str, str, str]]:
    """What flake8 reports, which must be what our command reports."""
    done = run("flake8", ".", cwd=folder)
    assert done.err == ""
    ours = tensorbranch("check", "--output-format=concise", "-q", ".", cwd=folder)
    rows = [re.match(r"(?:\./)?([^:]+):(\d+):\d+: (TBR\d+) ", row) for row in done.out.splitlines()]
    known = [re.match(r"([^:]+):(\d+):\d+: (TBR\d+) ", row) for row in ours.out.splitlines()]
    assert all(rows)
    assert [match and match.groups() for match in rows] == [match.groups() for match in known if match]
    return Counter(
        (match[1], match[3], (folder / match[1]).read_text().splitlines()[int(match[2]) - 1].strip())
        for match in rows
        if match
    )


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}


def three_times(folder: Path, order: tuple[Action, ...]) -> list[dict[str, str]]:
    """The texts after each of three rounds."""
    states = []
    for _ in range(3):
        for action in order:
            action(folder)
        states.append(texts(folder))
    return states


ORDERS = list(itertools.permutations((default, preview, form)))


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "-".join(action.__name__ for action in order))
def test_what_we_find_stays_whatever_ruff_does_and_the_text_comes_to_rest(
    tmp_path: Path, order: tuple[Action, ...]
) -> None:
    put(tmp_path, PROJECT)
    states = three_times(tmp_path, order)
    assert states[0] != {name: text for name, text in PROJECT.items() if name.endswith(".py")}
    assert states[1] == states[2]
    assert found(tmp_path) == FOUND
    for kept in ("# noqa: TBR101\n", "# ruff: ignore[TBR101]", "# noqa: TBR101 eager only", "disable[TBR101]"):
        assert kept in states[2]["model.py"]
    assert "# ruff: noqa: TBR102" in states[2]["helpers.py"]


def test_each_step_alone_changes_no_verdict(tmp_path: Path) -> None:
    put(tmp_path, PROJECT)
    assert found(tmp_path) == FOUND
    for action in (default, look, preview, form):
        action(tmp_path)
        assert found(tmp_path) == FOUND


def test_our_repairs_and_ruffs_end_in_one_text(tmp_path: Path) -> None:
    ends = []
    for order in ((preview, form, repair), (form, repair, preview), (repair, preview, form)):
        folder = tmp_path / order[0].__name__
        put(folder, PROJECT)
        states = three_times(folder, order)
        assert states[1] == states[2]
        ends.append(states[2])
    assert ends[0] == ends[1] == ends[2]
    assert found(folder) == Counter({("model.py", "TBR101", "if positive(x):"): 1})
