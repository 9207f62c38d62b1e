"""What the plugin is called and what it reports where nothing is configured: statements 1 to 5 of coexistence."""

from __future__ import annotations

import importlib.metadata
import json
import re
import sys
from pathlib import Path

import pytest

from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.rules import by_sink
from tests.adapters.samples import BRANCH, RAISE
from tests.hosts.driving import flake8, run

REENTRANT = """\
import torch
from torch.utils.checkpoint import checkpoint


def step(block: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x * 2)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("branch.py", BRANCH), ("raise.py", RAISE), ("reentrant.py", REENTRANT)):
        tmp_path.joinpath(name).write_text(text)
    return tmp_path


def codes(folder: Path, *arguments: str) -> set[str]:
    done = flake8(*arguments, "--format=%(code)s", ".", cwd=folder)
    assert done.err == ""
    return {*done.out.split()}


def test_01_codes_have_three_digits_and_there_is_one_entry_point() -> None:
    loaded = {loaded.code for rules in by_sink().values() for loaded in rules}
    assert loaded <= pages().keys()
    assert len(loaded) > 50
    assert all(re.fullmatch(r"TBR[0-9]{3}", code) for code in pages())
    distribution = importlib.metadata.distribution("flake8-tensorbranch")
    points = [point for point in distribution.entry_points if point.group.startswith("flake8")]
    assert [(point.group, point.name) for point in points if point.group == "flake8.extension"] == [
        ("flake8.extension", "TBR")
    ]


def test_02_ruff_has_no_such_code_prefix_or_name(tmp_path: Path) -> None:
    rules = run([sys.executable, "-m", "ruff", "rule", "--all", "--output-format=json"], tmp_path)
    linters = run([sys.executable, "-m", "ruff", "linter", "--output-format=json"], tmp_path)
    theirs = [*json.loads(rules.out), *json.loads(linters.out)]
    assert len(theirs) > 900
    words = [str(row.get(key) or "") for row in theirs for key in ("code", "name", "prefix")]
    assert [word for word in words if word.upper().startswith("TBR")] == []
    assert all(re.fullmatch(r"tbr-[a-z0-9-]+", page.name) for page in pages().values())


def test_03_flake8_lists_the_package_and_selects_by_prefix(folder: Path) -> None:
    assert "flake8-tensorbranch:" in "".join(flake8("--version", cwd=folder).out.split("\n")).replace(" ", "")
    assert {"TBR101", "TBR506"} <= codes(folder)
    assert not [code for code in codes(folder, "--select=E") if code.startswith("TBR")]
    assert codes(folder, "--select=TBR1") == {"TBR101"}
    assert codes(folder, "--select=TBR5") == {"TBR506"}


def test_04_opt_in_rules_run_by_our_option_alone(folder: Path) -> None:
    for arguments in (["--ignore=E501"], ["--select=TBR"], ["--extend-select=TBR105"], ["--ignore="], []):
        assert "TBR105" not in codes(folder, *arguments)
    assert "TBR105" in codes(folder, "--tbr-enable=TBR105")
    for setting in ("ignore = E501", "select = TBR", "extend-select = TBR105"):
        folder.joinpath("setup.cfg").write_text(f"[flake8]\n{setting}\n")
        assert "TBR105" not in codes(folder)
    folder.joinpath("setup.cfg").write_text("[flake8]\ntbr-enable = TBR105\n")
    assert "TBR105" in codes(folder)


def test_05_this_flake8_says_what_every_flake8_says() -> None:
    """The listing of README.md, from the flake8 installed here; `.ci/run` has 6.1, 7.3 and the newest."""
    root = Path(__file__).parents[2]
    shown = root.joinpath("README.md").read_text(encoding="utf-8").partition("<!-- examples: begin -->")[2]
    listing = [line for line in shown.partition("<!-- examples: end -->")[0].splitlines() if " TBR" in line][1:]
    done = flake8("--select=TBR", "examples/", cwd=root)
    assert len(listing) >= 7
    assert [line for line in done.out.splitlines() if " TBR" in line] == listing
