"""Which files a command line means, and their text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.source import SourceFile

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", ".pyi", NOTEBOOK)
EXCLUDED = frozenset(
    """
    .bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mypy_cache .nox .pants.d .pyenv .pytest_cache .pytype
    .ruff_cache .svn .tox .venv .vscode __pypackages__ _build buck-out build dist node_modules site-packages venv
    """.split()
)
STDIN = "-"


class Unreadable(NamedTuple):
    """A named file that gives no text, with the finding that says why."""

    path: str
    reason: Diagnostic


def discover(paths: Iterable[str]) -> Iterator[str]:
    """The files that `paths` name, once each, in order: files as given, folders by their Python files, sorted.

    Folders named in `EXCLUDED` are not entered (unless given themselves) and symbolic links to folders not followed.
    """
    seen = set()
    for given in paths:
        for path in _walk(given) if given != STDIN and Path(given).is_dir() else (given,):
            key = path if path == STDIN else os.path.realpath(path)
            if key not in seen:
                seen.add(key)
                yield path


def _walk(top: str) -> Iterator[str]:
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name not in EXCLUDED)
        for name in sorted(names):
            if name.endswith(SUFFIXES):
                yield os.path.normpath(Path(folder, name))


def read(path: str, stdin_filename: str | None = None) -> SourceFile | Unreadable:
    """The text of `path`; `-` is standard input, known as `stdin_filename` if that is given.

    Of a notebook, told by its name, it is the text of the Python cells.
    """
    name = (stdin_filename or STDIN) if path == STDIN else path
    try:
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
