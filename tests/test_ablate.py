"""Ablation takes away what it names, and nothing else changes."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from tools import ablate

PASSED = """\
import torch


def scale(x, cap):
    if cap:
        x = x * 2
    return x


def run(x: torch.Tensor):
    return scale(x, x.max())
"""


@pytest.mark.parametrize("power", ablate.POWERS, ids=lambda power: power.name)
def test_every_power_hangs_on_something(power: ablate.Power) -> None:
    module, _, path = power.at.partition(":")
    there = attrgetter(path)(import_module(module))
    assert callable(there) == callable(power.instead)


def test_what_is_lost_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.joinpath("p.py").write_text(PASSED)
    assert ablate.main([str(tmp_path), "docstrings", "call sites in the file"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| nothing | 1 | | |",
        "| docstrings | 1 | 0 | 0 |",
        "| call sites in the file | 0 | 1 | 0 |",
    ]
