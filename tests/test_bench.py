"""The benchmark compares what it says it compares."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import bench


@pytest.mark.parametrize(("state", "listed"), [("on", True), ("off", False)])
def test_flake8_without_the_plugin_is_without_it(state: str, listed: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", bench.FLAKE8, state, "--version"], capture_output=True, text=True, check=True
    )
    assert (bench.DISTRIBUTION in done.stdout) is listed
    assert "pyflakes" in done.stdout


def test_only_files_that_pass_the_gate_and_parse_are_analysed(tmp_path: Path) -> None:
    for name, text in {"a.py": "import torch\n", "b.py": "import os\n", "c.py": "import torch\nx = (\n"}.items():
        tmp_path.joinpath(name).write_text(text)
    sources, outside, _ = bench.readable(str(tmp_path))
    assert [Path(source.path).name for source in sources] == ["a.py"]
    assert outside == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_files_are_measured_alone_and_together(tmp_path: Path) -> None:
    tmp_path.joinpath("lib.py").write_text("import torch\n\n\ndef f(x: torch.Tensor):\n    return x.sum() > 0\n" * 40)
    user = "import torch\nfrom lib import f\n\nif f(torch.ones(3)):\n    pass\n"
    for name in "abc":
        tmp_path.joinpath(f"{name}.py").write_text(user)
    rows = dict(bench.linearity(str(tmp_path), 3))
    assert rows["files"] == 3
    assert 0 < rows["together, s"] < rows["alone, sum, s"], "what they import is read three times alone, once together"
    assert rows["together, x alone"] == rows["together, s"] / rows["alone, sum, s"]


def test_least_is_by_column() -> None:
    assert bench.least([[1.0, 5.0], [2.0, 4.0]]) == [1.0, 4.0]


def test_rooms() -> None:
    assert bench.room_of(str(bench.PACKAGE / "engine" / "solver.py")) == "engine.solver"
    assert bench.room_of(str(bench.PACKAGE / "rules" / "tbr101_branch_on_value.py")) == "rules"
    assert bench.room_of("/lib/site-packages/astroid/rebuilder.py") == "astroid"
    assert bench.room_of("~") == "builtins"


def test_saves_in_a_process_that_lives_on_are_measured() -> None:
    """That they come out: what they say depends on the machine's mood, which no test may ask."""
    own, added = bench.compare_saves(bench.SAVED, 1)
    assert own > 0
    assert own + added > 0
