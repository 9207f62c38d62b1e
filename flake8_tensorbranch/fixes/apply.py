"""One round of fixes on one text: those that do not meet each other, the first ones first."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from flake8_tensorbranch.diagnostic import Diagnostic, Edit
from flake8_tensorbranch.source import Cell, character_column

_BREAK: Final = re.compile(r"\r\n|\r|\n")
_BOM: Final = "\ufeff"


class Round(NamedTuple):
    """The text after one round, its notebook cells, and how often each code was fixed."""

    text: str
    cells: tuple[Cell, ...]
    fixed: Counter[str]


class _Span(NamedTuple):
    """An edit as a range of characters of the text."""

    start: int
    stop: int
    content: str

    def meets(self, other: _Span) -> bool:
        """Whether two edits overlap or touch; which comes first would then be a guess."""
        return self.start <= other.stop and other.start <= self.stop


def apply(text: str, found: Iterable[Diagnostic], cells: tuple[Cell, ...] = ()) -> Round:
    """Apply the fixes of findings in `text`, whose line breaks and byte order mark may be any and stay as they are.

    A fix that meets one applied before it is left for the next round; an edit that equals one applied before (two
    fixes that add the same import, or do all the same) is made once. Line breaks in new text are those of the text
    around it.
    """
    lines = _Lines(text, cells)
    taken: list[_Span] = []
    made: list[Edit] = []
    fixed: Counter[str] = Counter()
    for item in sorted((f for f in found if f.fix is not None and f.fix.edits), key=_order):
        assert item.fix is not None
        spans = [lines.span(edit) for edit in item.fix.edits]
        new = [span for span in spans if span not in taken]
        if None in spans or any(a is not None and a.meets(b) for a in new for b in taken):
            continue
        taken.extend(span for span in new if span is not None)
        made.extend(edit for edit, span in zip(item.fix.edits, spans, strict=True) if span in new)
        fixed[item.code] += 1
    parts: list[str] = []
    last = 0
    for span in sorted(taken, key=lambda s: (s.start, s.stop)):
        parts += (text[last : span.start], span.content)
        last = span.stop
    return Round("".join((*parts, text[last:])), _moved(cells, made), fixed)


def _order(found: Diagnostic) -> tuple[Edit, int, int, str]:
    assert found.fix is not None
    return min(found.fix.edits), found.line, found.column, found.code


def _moved(cells: tuple[Cell, ...], edits: Sequence[Edit]) -> tuple[Cell, ...]:
    """Where the cells begin after edits; what is inserted where a cell begins belongs to that cell."""
    return tuple(
        cell._replace(
            first_line=cell.first_line
            + sum(
                edit.content.count("\n") - (edit.end_line - edit.line)
                for edit in edits
                if (edit.line, edit.column) < (cell.first_line, 0)
            )
        )
        for cell in cells
    )


class _Lines:
    """The lines of a text by the places that `ast` counts: a 1-based line, and a 0-based UTF-8 byte of it."""

    def __init__(self, text: str, cells: tuple[Cell, ...]) -> None:
        self.text = text
        begin = len(_BOM) if text.startswith(_BOM) else 0
        breaks = list(_BREAK.finditer(text, begin))
        self.starts = [begin, *(found.end() for found in breaks)]
        self.ends = [*(found.start() for found in breaks), len(text)]
        self.breaks = [found.group() for found in breaks]
        self.cells = [cell.first_line for cell in cells]

    def offset(self, line: int, column: int) -> int | None:
        """The character at a place; None for a place that the text does not have."""
        if not 1 <= line <= len(self.starts):
            return None
        row = self.text[self.starts[line - 1] : self.ends[line - 1]]
        if column < 0 or column > len(row.encode("utf-8", "surrogatepass")):
            return None
        return self.starts[line - 1] + character_column(row, column)

    def span(self, edit: Edit) -> _Span | None:
        """The range of an edit; None where it has none, or where it goes across the beginning of a cell."""
        start, stop = self.offset(edit.line, edit.column), self.offset(edit.end_line, edit.end_column)
        if start is None or stop is None or stop < start:
            return None
        if bisect_right(self.cells, edit.line) != bisect_right(self.cells, edit.end_line):
            return None
        return _Span(start, stop, edit.content.replace("\n", self._break(edit, start)))

    def _break(self, edit: Edit, start: int) -> str:
        """The line break of an edit's last line, or of the line before; never half of one with what it comes after."""
        own = "".join(self.breaks[edit.end_line - 1 : edit.end_line] or self.breaks[-1:]) or "\n"
        merges = own == "\n" and self.text[:start].endswith("\r") and edit.content.startswith("\n")
        return "\r\n" if merges else own
