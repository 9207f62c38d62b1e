"""The diff of a repair: what its edits make of the lines around them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.diagnostic import Edit, Fix
from flake8_tensorbranch.output.frame import shown
from flake8_tensorbranch.output.report import edited
from flake8_tensorbranch.output.styles import DELETED, DELETED_SIGN, GUTTER, INSERTED, INSERTED_SIGN, Paint
from flake8_tensorbranch.source import SourceFile, as_written

CONTEXT: Final = 1  # unchanged lines shown around a change
_AROUND: Final = 3  # lines around the edits that are compared
_BETWEEN: Final = "-" * 80
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


def diff(source: SourceFile, fix: Fix, paint: Paint) -> Iterator[str]:
    """The changed lines, new ones with their new number; in a notebook one diff for each changed cell."""
    if not source.cells:
        rows = [place.row for edit in fix.edits for place in edited(source, edit)]
        if rows:
            yield from _diff(source, fix, max(1, min(rows) - _AROUND), max(rows) + _AROUND, 0, paint)
        return
    starts = [cell.first_line for cell in source.cells]
    ends = [start - 1 for start in starts[1:]] + [len(source.lines)]
    for cell, first, last in zip(source.cells, starts, ends, strict=True):
        yield from _diff(source, fix, first, last, cell.number, paint)


def _diff(source: SourceFile, fix: Fix, first: int, last: int, cell: int, paint: Paint) -> Iterator[str]:
    """The diff of the rows from `first` to `last`, in a cell with the cell's name above it."""
    before = [line + "\n" for line in source.lines[first - 1 : last]]
    after = _applied(source, fix, first, before)
    if after is None:
        return
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    groups = list(matcher.get_grouped_opcodes(CONTEXT))
    base = 0 if cell else first - 1
    gutter = len(str(base + groups[-1][-1][4])) if groups else 1
    bar, empty = paint("|", GUTTER), paint(" " * gutter, GUTTER)
    if cell:
        yield f"{':::':>{gutter + 3}} cell {cell}"
    yield f"{empty} {bar}"
    for number, group in enumerate(groups):
        if number:
            yield _BETWEEN
        for tag, old, old_end, new, new_end in group:
            if tag == "equal":
                for index in range(new, new_end):
                    yield _spaced(f"{paint(f'{base + index + 1:<{gutter}}', GUTTER)} {bar}", shown_line(after[index]))
                continue
            for index in range(old, old_end):
                text = paint(shown_line(before[index]), DELETED)
                yield _spaced(f"{empty} {paint('-', DELETED_SIGN)}", text)
            for index in range(new, new_end):
                text = paint(shown_line(after[index]), INSERTED)
                yield _spaced(f"{paint(f'{base + index + 1:<{gutter}}', GUTTER)} {paint('+', INSERTED_SIGN)}", text)
    yield f"{empty} {bar}"


def shown_line(line: str) -> str:
    """A line without its break and safe for a terminal; tabs stay, so that it can be copied."""
    return "\t".join(map(shown, as_written(line.removesuffix("\n")).split("\t")))


def _spaced(front: str, text: str) -> str:
    return f"{front} {text}" if text else front


def _applied(source: SourceFile, fix: Fix, first: int, before: list[str]) -> list[str] | None:
    """The lines with the edits that lie in them; None if none does."""
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    text, parts, done = "".join(before), [], 0
    inside = [edit for edit in fix.edits if _inside(source, edit, first, len(before))]
    for edit in sorted(inside):
        begin, end = (min(starts[place.row - first] + place.column - 1, len(text)) for place in edited(source, edit))
        parts += [text[done:begin], edit.content]
        done = end
    return _LINE.findall("".join((*parts, text[done:]))) if inside else None


def _inside(source: SourceFile, edit: Edit, first: int, count: int) -> bool:
    """Whether an edit lies in `count` lines from `first`; its end may be the start of the line behind them."""
    start, end = edited(source, edit)
    return first <= start.row and (end.row < first + count or (end.row == first + count and end.column == 1))
