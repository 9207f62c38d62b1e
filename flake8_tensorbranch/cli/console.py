"""What the command writes and where: findings to standard output, words about the run to standard error, by level."""

from __future__ import annotations

import argparse
import enum
import os
import sys
from collections.abc import Iterable
from typing import NamedTuple, TextIO

from flake8_tensorbranch import output

CLEAN, FOUND, USAGE = 0, 1, 2


class Level(enum.IntEnum):
    """How much is written, as ruff's `-s`, `-q`, nothing, and `-v`."""

    SILENT = 0  # only the exit status
    QUIET = 1  # findings and nothing else
    NORMAL = 2  # also the count, and warnings on standard error
    VERBOSE = 3  # also what the run does, on standard error


class Console(NamedTuple):
    """The level of this run and whether standard output gets colours."""

    level: Level = Level.NORMAL
    color: bool = False
    aside: bool = False  # findings go to standard error, since standard output is taken

    @classmethod
    def of(cls, options: argparse.Namespace) -> Console:
        """The console that the global options ask for."""
        to_file = getattr(options, "output_file", None) is not None  # never coloured, as in ruff
        return cls(options.level, not to_file and colored(options.color, sys.stdout))

    def out(self, lines: Iterable[str]) -> None:
        """Findings: written unless silent."""
        if self.level > Level.SILENT:
            write(lines, sys.stderr if self.aside else None)

    def text(self, pieces: Iterable[str]) -> None:
        """Findings in pieces that hold their own line breaks: written unless silent."""
        if self.level > Level.SILENT:
            output.write(pieces, sys.stderr if self.aside else sys.stdout)

    def warn(self, text: str) -> None:
        """A warning on standard error, unless quiet."""
        if self.level >= Level.NORMAL:
            write([f"warning: {text}"], sys.stderr)

    def note(self, text: str) -> None:
        """A remark on standard error, unless quiet; for people, so of no fixed form."""
        if self.level >= Level.NORMAL:
            write([text], sys.stderr)

    def debug(self, text: str) -> None:
        """What the run does, on standard error, with `-v`."""
        if self.level >= Level.VERBOSE:
            write([f"debug: {text}"], sys.stderr)


def colored(when: str, stream: TextIO) -> bool:
    """Whether `stream` gets colours: `always`, `never`, or `auto`, which is ruff's order of variables, then a terminal.

    Any text but the empty one sets NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE; CLICOLOR counts if it is `0`.
    """
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    if os.environ.get("CLICOLOR") == "0":
        return False
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def failed(text: str) -> None:
    """Why the command cannot do what it was asked; written at every level."""
    write([f"tensorbranch: error: {text}"], sys.stderr)


def write(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Write lines to a stream (standard output if none is given); what its encoding cannot hold is escaped."""
    stream = stream or sys.stdout
    encoding = stream.encoding or "utf-8"
    for line in lines:
        print(line if line.isascii() else line.encode(encoding, "backslashreplace").decode(encoding), file=stream)
