"""One finding with the text it was found in, and where a reader is told it is: paths, rows, columns, cells."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from flake8_tensorbranch.diagnostic import Diagnostic, Edit, Related
from flake8_tensorbranch.source import SourceFile

STDIN = "-"
TOOL = "tensorbranch"
SYNTAX = "invalid-syntax"


class Options(NamedTuple):
    """How to render: in colour or not, whether unsafe fixes are applied too, and the lines below the findings.

    Formats that people read, and no others, end with the `footer`.
    """

    colour: bool = False
    unsafe_fixes: bool = False
    footer: Sequence[str] = ()


class Location(NamedTuple):
    """A place as ruff shows it: row and column are 1-based, the column counts characters."""

    row: int
    column: int


START = Location(1, 1)


class Report(NamedTuple):
    """One finding and the text it was found in."""

    source: SourceFile
    found: Diagnostic

    @property
    def start(self) -> Location:
        """Where the finding begins in the text, of a notebook in the text of all its code cells."""
        return located(self.source, self.found.line, self.found.column)

    @property
    def end(self) -> Location:
        """Where the finding ends, exclusive and not before its start."""
        return max(self.start, located(self.source, self.found.end_line, self.found.end_column))

    @property
    def is_rule(self) -> bool:
        """Whether a rule reports this, or (False) the file could not be read or parsed."""
        return self.found.code.startswith("TBR")

    @property
    def is_notebook(self) -> bool:
        """Whether the text is the code cells of a notebook."""
        return bool(self.source.cells)


def located(source: SourceFile, line: int, column: int) -> Location:
    """The place inside the text nearest to an `ast` position."""
    row, before = source.position(line, column)
    return Location(row, before + 1)


def edited(source: SourceFile, edit: Edit) -> tuple[Location, Location]:
    """Start and end of an edit; unlike a finding it may begin or end behind the last line break."""
    behind = len(source.lines) + 1 if not source.text or source.text.endswith("\n") else 0
    start, end = (
        Location(line, 1) if line == behind else located(source, line, column)
        for line, column in ((edit.line, edit.column), (edit.end_line, edit.end_column))
    )
    return start, end


def in_cell(source: SourceFile, place: Location) -> Location:
    """The place counted from the first line of its notebook cell; as it is for a file that is no notebook."""
    cell = source.cell_at(place.row)
    return place if cell is None else Location(place.row - cell.first_line + 1, place.column)


def edited_in_cell(source: SourceFile, edit: Edit) -> tuple[Location, Location]:
    """As `edited`, counted from the cell; an end on the first line of the next cell becomes the end of this one."""
    start, end = edited(source, edit)
    if source.cells:
        cell = source.cell_at(start.row)
        if end.column == 1 and end.row > start.row and (end.row > len(source.lines) or source.cell_at(end.row) != cell):
            end = Location(end.row - 1, len(source.lines[end.row - 2]) + 1)
    return in_cell(source, start), in_cell(source, end)


def absolute(path: str) -> str:
    """The absolute path; standard input keeps its dash."""
    return path if path == STDIN else _legible(os.path.abspath(path))


def relative(path: str, root: str | None = None) -> str:
    """The path from `root` (the current folder); absolute if it leads out of there, as it is for standard input."""
    if path == STDIN:
        return path
    whole, folder = os.path.abspath(path), os.path.abspath(root or os.curdir)
    try:
        inside = os.path.commonpath((whole, folder)) == folder
    except ValueError:  # paths on different drives
        inside = False
    return _legible(os.path.relpath(whole, folder) if inside else whole)


def _legible(path: str) -> str:
    """The path as text that every format can hold: bytes that are no UTF-8 become U+FFFD, as in ruff."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def whereabouts(report: Report, related: Related) -> str:
    """Path and row of a related place, with its cell if it is in the same notebook as the finding."""
    cell = report.source.cell_at(related.line) if related.path == report.source.path else None
    row = f"cell {cell.number}:{related.line - cell.first_line + 1}" if cell else related.line
    return f"{relative(related.path)}:{row}"
