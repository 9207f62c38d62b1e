"""The real ruff and our command, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Done(NamedTuple):
    """How a process ended."""

    status: int
    out: str
    err: str


def run(module: str, *arguments: str, cwd: Path, stdin: bytes = b"") -> Done:
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, check=False, timeout=120)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def ruff(*arguments: str, cwd: Path, stdin: bytes = b"") -> Done:
    """`ruff check`, which leaves no cache behind."""
    return run("ruff", "check", "--no-cache", *arguments, cwd=cwd, stdin=stdin)


def tensorbranch(*arguments: str, cwd: Path, stdin: bytes = b"") -> Done:
    return run("flake8_tensorbranch", *arguments, cwd=cwd, stdin=stdin)


def put(folder: Path, files: dict[str, str]) -> None:
    """Write files, with the folders they are in."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
