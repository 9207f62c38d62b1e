"""The text of one file: the gate, and the one conversion of positions."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

MASKED: Final = "\u2060"  # begins what a line shows that stands for another one; no source has it there
_MASK: Final = re.compile(r"(?:(?:pass|get_ipython\(\))  )?# \u2060(.*)")


class Cell(NamedTuple):
    """One code cell of a notebook, as a range of lines of the text made of all code cells.

    `number` is 1-based and counts every cell of the notebook, as ruff does; `first_line` is the 1-based line of the
    text on which the cell begins.
    """

    number: int
    first_line: int


class SourceFile:
    """The decoded text of one file, with the path it is known by (which need not exist).

    Line breaks in `text` are `\\n` alone and a byte order mark is gone, so that lines and columns are those of `ast`.
    """

    __slots__ = ("_lines", "cells", "path", "text")

    def __init__(self, path: str, text: str, cells: tuple[Cell, ...] = ()) -> None:
        self.path = path
        self.cells = cells
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.text = text.removeprefix("\ufeff")
        self._lines: Sequence[str] | None = None

    @classmethod
    def from_lines(cls, path: str, lines: Iterable[str]) -> SourceFile:
        """The file whose decoded lines, each with its line break, a host such as flake8 already holds."""
        return cls(path, "".join(lines))

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> SourceFile:
        """The file as stored, decoded by its coding line or byte order mark, else as UTF-8.

        Raises `SyntaxError` for an unknown or contradicted encoding and `UnicodeDecodeError` for bytes outside it.
        """
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        try:
            return cls(path, data.decode(encoding))
        except LookupError as error:  # a codec of Python that makes no text, such as `hex`
            raise SyntaxError(f"encoding problem: {encoding}") from error

    @property
    def lines(self) -> Sequence[str]:
        """The lines without their line breaks, split where `ast` splits them; an empty file has none."""
        if self._lines is None:
            lines = self.text.split("\n")
            if not lines[-1]:
                lines.pop()
            self._lines = lines
        return self._lines

    def mentions(self, words: Iterable[str]) -> bool:
        """The gate: whether any of `words` occurs anywhere in the text, comments included."""
        return any(word in self.text for word in words)

    def cell_at(self, line: int) -> Cell | None:
        """The notebook cell that holds a 1-based line of the text; None for a file that is no notebook."""
        held = None
        for cell in self.cells:
            if cell.first_line > line:
                break
            held = cell
        return held

    def position(self, line: int, column: int) -> tuple[int, int]:
        """The place inside the file nearest to an `ast` position, its column counted in characters.

        The line is at least 1, at most the number of lines; the column is at most the length of the line.
        """
        lines = self.lines
        if not lines or line < 1:
            return 1, 0
        if line > len(lines):
            return len(lines), len(lines[-1])
        return line, character_column(lines[line - 1], column)

    def utf16_position(self, line: int, column: int) -> tuple[int, int]:
        """As `position`, its column counted in UTF-16 code units (what editors' protocols count)."""
        line, column = self.position(line, column)
        before = self.lines[line - 1][:column] if self.lines else ""
        return line, column if before.isascii() else len(before.encode("utf-16-le", "surrogatepass")) // 2


def as_written(line: str) -> str:
    """The line as its author wrote it: what is IPython's in a notebook is another line to the analysis."""
    if MASKED not in line:
        return line
    return _MASK.sub(lambda masked: masked[1].replace("\N{MUSIC SHARP SIGN}", "#"), line)


def character_column(line: str, column: int) -> int:
    """The 0-based character of `line` that holds or follows UTF-8 byte `column`, within the line."""
    if column <= 0:
        return 0
    if line.isascii():
        return min(column, len(line))
    return len(line.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))
