"""The `tensorbranch` command in a process of its own, as a shell runs it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.samples import BRANCH, BRANCH_PLACE, SAMPLES, written

WITHOUT_FLAKE8 = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("flake8", "pycodestyle", "pyflakes", "mccabe", "torch", "numpy"):
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Blocker())
from flake8_tensorbranch.cli import main
sys.exit(main())
"""


def tensorbranch(
    *arguments: str, cwd: Path, stdin: bytes = b"", code: str = WITHOUT_FLAKE8
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, check=False, cwd=cwd, input=stdin, timeout=120)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("samples"), SAMPLES)


def test_every_sample_is_looked_at_without_flake8(folder: Path) -> None:
    done = tensorbranch("check", "--output-format=concise", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert "TBR000" not in done.stdout
    rows = [line for line in done.stdout.splitlines() if re.match(r"\S+:\d+:\d+: ", line)]
    assert f"\nFound {len(rows)} errors.\n" in done.stdout
    assert f"branch.py:{BRANCH_PLACE}" in done.stdout
    assert "nul.py:1:1: invalid-syntax: " in done.stdout
    assert "undecodable.py:1:1: invalid-syntax: " in done.stdout
    assert "syntax_error.py:2:5: invalid-syntax: '(' was never closed" in done.stdout
    found = {row.partition(":")[0] for row in rows}
    assert found >= {sample.name for sample in SAMPLES if sample.expected}
    assert not found & {"empty.py", "only_newline.py", "no_torch.py", "nested_brackets.py", "nested_blocks.py"}


def test_standard_input(folder: Path) -> None:
    done = tensorbranch("check", "-", "--output-format=json", cwd=folder, stdin=b"\n" + BRANCH.encode())
    (item,) = json.loads(done.stdout)
    assert (item["location"], item["code"]) == ({"row": 6, "column": 8}, "TBR101")


def test_module_is_the_command(folder: Path) -> None:
    command = [sys.executable, "-m", "flake8_tensorbranch", "version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    assert done.stdout.startswith("tensorbranch ")


def test_a_closed_pipe_is_silent(folder: Path) -> None:
    script = f'"{sys.executable}" -m flake8_tensorbranch rule --all | head -n 1'
    done = subprocess.run(script, shell=True, capture_output=True, text=True, check=False, cwd=folder)
    assert done.stdout.startswith("# TBR000")
    assert done.stderr == ""
