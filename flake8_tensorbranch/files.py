"""The files that can be looked at, and their text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.source import SourceFile

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", ".pyi", NOTEBOOK)
STDIN = "-"


class Unreadable(NamedTuple):
    """A named file that gives no text, with the finding that says why."""

    path: str
    reason: Diagnostic


def read(path: str, stdin_filename: str | None = None, data: bytes | None = None) -> SourceFile | Unreadable:
    """The text of `path`; `-` is standard input, known as `stdin_filename` if that is given.

    `data` is its content where the caller has read it.

    Of a notebook, told by its name, it is the text of the Python cells.
    """
    name = (stdin_filename or STDIN) if path == STDIN else path
    try:
        if data is None:
            data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
        if name.endswith(NOTEBOOK):
            from flake8_tensorbranch.notebook import read_notebook

            return read_notebook(name, data)
        return SourceFile.from_bytes(name, data)
    except OSError as error:
        return Unreadable(name, _at_start("io-error", error.strerror or str(error)))
    except (SyntaxError, ValueError) as error:
        return Unreadable(name, _at_start("invalid-syntax", str(error)))


def _at_start(code: str, message: str) -> Diagnostic:
    return Diagnostic(1, 0, 1, 0, code, " ".join(message.split()))
