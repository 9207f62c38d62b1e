"""The real ruff in processes of its own, and our command as if it were."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from flake8_tensorbranch.cli import main
from flake8_tensorbranch.gate import begin_run


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
    """Our command with its own streams and folder, but in this process, which imports astroid once."""
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="") for data in (stdin, b"", b"")]
    kept, folder = (sys.stdin, sys.stdout, sys.stderr), os.getcwd()
    sys.stdin, sys.stdout, sys.stderr = streams
    os.chdir(cwd)
    begin_run()
    try:
        status = main(arguments)
    except SystemExit as error:
        status = int(error.code or 0)
    finally:
        os.chdir(folder)
        sys.stdin, sys.stdout, sys.stderr = kept
    for stream in streams[1:]:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])  # type: ignore[attr-defined]
    return Done(status, out, err)
