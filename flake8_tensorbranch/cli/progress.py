"""How far a long run has come: one line on a terminal's standard error that overwrites itself, and goes at the end."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from flake8_tensorbranch.cli.console import Console, Level

QUIET_FOR = 1.0  # seconds before the line appears: short runs show nothing
EVERY = 0.1  # seconds between two versions of the line


class Progress:
    """The line; nothing is ever written where `stream` is None."""

    def __init__(self, stream: TextIO | None, total: int) -> None:
        self._stream = stream
        self._total = total
        self._started = time.monotonic()
        self._due = self._started + QUIET_FOR
        self._done = self._found = 0
        self._shown = False

    def looked_at(self, found: int) -> None:
        """One more file is done, with so many findings."""
        self._done += 1
        self._found += found
        now = time.monotonic()
        if self._stream is not None and now >= self._due:
            self._due = now + EVERY
            self._draw(self.line(now - self._started))

    def line(self, seconds: float) -> str:
        """The text after so many seconds: files, files per second, findings."""
        rate = self._done / seconds if seconds > 0 else 0.0
        return f"{self._done}/{self._total} files, {rate:.1f}/s, {self._found} found"

    def clear(self) -> None:
        """Take the line away."""
        if self._stream is not None and self._shown:
            self._draw("")
            self._shown = False

    def _draw(self, text: str) -> None:
        assert self._stream is not None
        width = shutil.get_terminal_size().columns - 1
        self._shown = True  # first: an interrupt may come while it is drawn
        self._stream.write(f"\r\x1b[K{text[:width]}")
        self._stream.flush()


@contextmanager
def progress(console: Console, paths: Sequence[str]) -> Iterator[Progress]:
    """The progress of a run over `paths`: shown on a terminal that is told neither to be quiet nor to be verbose."""
    stream = sys.stderr if console.level == Level.NORMAL and sys.stderr.isatty() else None
    line = Progress(stream, len(paths))
    try:
        yield line
    finally:
        line.clear()
