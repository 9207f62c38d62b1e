"""pre-commit: our manifest is one, and the hook it names finds what it must in a repository's files."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

from tests.hosts.driving import HELPED, ROOT, TENSOR, Done, project, run

CELL = HELPED.replace("from lib import helper", "helper = torch.any")
CONFIG = """\
repos:
  - repo: local
    hooks:
{hook}"""


def hook(name: str) -> str:
    """A hook as the manifest has it, but in this environment instead of one that pip would make."""
    rows = ROOT.joinpath(".pre-commit-hooks.yaml").read_text(encoding="utf-8").splitlines()
    start = rows.index(f"- id: {name}")
    own = [rows[start], *itertools.takewhile(lambda row: row.startswith(" "), rows[start + 1 :])]
    assert "  language: python" in own
    kept = [row for row in own if not row.startswith("  additional_dependencies:")]
    return "".join(f"      {row}\n" for row in kept).replace("language: python", "language: system")


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.invalid", "-c", "core.hooksPath=/dev/null"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def pre_commit(folder: Path, *arguments: str) -> Done:
    return run([sys.executable, "-m", "pre_commit", *arguments], folder, PRE_COMMIT_HOME=str(folder.parent / "cache"))


def test_the_manifest_is_one() -> None:
    done = run([sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")], ROOT)
    assert (done.status, done.err) == (0, "")


def test_the_hook_runs_on_the_files_of_a_repository(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    project(folder)
    folder.joinpath(".pre-commit-config.yaml").write_text(CONFIG.format(hook=hook("flake8-tensorbranch")))
    git(folder, "init", "-q")
    git(folder, "add", ".")
    done = pre_commit(folder, "run", "--all-files")
    assert done.status == 1
    assert "main.py:7:27: TBR101 " in done.out
    assert "lib.py" not in done.out
    # Only staged files are given to the hook: a changed helper alone says nothing of the file that uses it.
    git(folder, "commit", "-qm", "x")
    folder.joinpath("lib.py").write_text("\n" + TENSOR)
    git(folder, "add", "lib.py")
    assert pre_commit(folder, "run").status == 0
    folder.joinpath("main.py").write_text(HELPED.replace("else x\n", "else x  # noqa: TBR101\n"), encoding="utf-8")
    git(folder, "add", ".")
    assert pre_commit(folder, "run", "--all-files").status == 0


def test_the_hook_of_the_command_reads_notebooks_and_excludes_what_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    folder.joinpath("old").mkdir(parents=True)
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": CELL}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    for name in ("n.ipynb", "old/n.ipynb"):
        folder.joinpath(name).write_text(notebook, encoding="utf-8")
    folder.joinpath("tensorbranch.toml").write_text('exclude = ["old"]\n')
    folder.joinpath(".pre-commit-config.yaml").write_text(CONFIG.format(hook=hook("tensorbranch")))
    git(folder, "init", "-q")
    git(folder, "add", ".")
    done = pre_commit(folder, "run", "--all-files")
    assert done.status == 1
    assert "n.ipynb:cell 1:7:27" in done.out
    assert "Found 1 error." in done.out
