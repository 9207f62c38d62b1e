"""Ruff, flake8 and our command in processes of their own, each over many texts at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXTERNAL = ("--config", "lint.external=['TBR', 'tbr-']")
# By file: line, column (both from 1, in characters) and code.
Found = Mapping[str, set[tuple[int, int, str]]]


def run(*arguments: str, cwd: Path, status: tuple[int, ...] = (0, 1)) -> str:
    """What `python -m ...` writes; the test fails where the status is another, or something is on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        timeout=120,
    )
    assert done.returncode in status, done.stderr.decode()
    return done.stdout.decode()


def ruff(cwd: Path, *arguments: str) -> str:
    """What `ruff check` writes, without any configuration but that given."""
    return run("ruff", "check", "--isolated", "--no-cache", "-q", *arguments, cwd=cwd)


def put(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts as files, line breaks as they are."""
    for name, text in texts.items():
        folder.joinpath(name).write_text(text, encoding="utf-8", newline="")


def ruff_finds(folder: Path, *arguments: str) -> Found:
    """What ruff finds in a folder."""
    return _from_json(ruff(folder, "--output-format", "json", *arguments, "."))


def command_finds(folder: Path, *arguments: str) -> Found:
    """What `tensorbranch check` finds in a folder."""
    fixed = ("flake8_tensorbranch", "check", "--isolated", "--output-format", "json")
    return _from_json(run(*fixed, *arguments, ".", cwd=folder))


def flake8_finds(folder: Path, *arguments: str) -> Found:
    """What flake8 finds in a folder."""
    found: dict[str, set[tuple[int, int, str]]] = defaultdict(set)
    form = "--format=%(path)s|%(row)d|%(col)d|%(code)s"
    for row in run("flake8", "--isolated", "-j1", form, *arguments, ".", cwd=folder).splitlines():
        path, line, column, code = row.split("|")
        found[Path(path).name].add((int(line), int(column), code))
    return found


def _from_json(text: str) -> Found:
    found: dict[str, set[tuple[int, int, str]]] = defaultdict(set)
    for item in json.loads(text):
        place = item["location"]
        found[Path(item["filename"]).name].add((place["row"], place["column"], item["code"]))
    return found
