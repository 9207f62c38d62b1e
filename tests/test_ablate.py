"""Ablation takes away what it names, and nothing else changes."""

from __future__ import annotations

import json
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


def test_lines_that_are_to_be_found_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.joinpath("p.py").write_text(PASSED)
    rows = [{"file": "p.py", "line": 5}, {"file": "p.py", "line": 2, "end_line": 3}, {"file": "absent.py", "line": 1}]
    tmp_path.joinpath("reads.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert ablate.main([str(tmp_path), "--lines", str(tmp_path / "reads.jsonl"), "call sites in the file"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "| without | findings | - | + | reads.jsonl |",
        "|---|---|---|---|---|",
        "| nothing | 1 | | | 1/2 |",
        "| call sites in the file | 0 | 1 | 0 | 0/2 |",
    ]
