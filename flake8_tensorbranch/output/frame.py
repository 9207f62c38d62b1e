"""Frames: lines of source with a range marked below them, as ruff and rustc draw them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from flake8_tensorbranch.output.report import Location, in_cell, relative
from flake8_tensorbranch.output.styles import GUTTER, Paint, Style
from flake8_tensorbranch.source import SourceFile, as_written

CONTEXT: Final = 2  # lines shown before and behind a finding
TERMINAL: Final = 140  # columns of a frame, its gutter included
TAB: Final = "    "
CUT: Final = "…"
_ROOM: Final = 6  # columns kept free at both sides of what a cut line shows
# Control characters get pictures; a zero-width joiner would make one glyph of several that are counted.
_PICTURES: Final = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421", 0x09: TAB, 0x200D: ""}
_OBEYED: Final = re.compile("[\x80-\x9f\u202a-\u202e\u2066-\u2069]")  # more of them, and what reorders a line


class _Window(NamedTuple):
    """Which columns of the lines are drawn; the rest is cut."""

    left: int
    width: int
    cuts_right: int  # lines longer than this are cut at the right

    def of(self, text: str, paint: Paint) -> str:
        """The part of a line that is seen, with a sign where it is cut."""
        length = width(text)
        if not self.left and length <= self.width:
            return text
        seen, columns = "", 0
        for char in _from_column(text, self.left):
            if columns + width(char) > self.width:
                break
            seen, columns = seen + char, columns + width(char)
        sign = paint(CUT, GUTTER)
        front = sign if self.left else ""
        back = sign if self.cuts_right < length and self.left + self.width < length else ""
        return front + seen[bool(front) : len(seen) - bool(back)] + back


class _Row(NamedTuple):
    """A line of the frame: its number, its text with tabs and control characters made visible."""

    number: int
    shown: int
    text: str


def frame(source: SourceFile, start: Location, end: Location, context: int, mark: Style, paint: Paint) -> Iterator[str]:
    """Where the range is, then its lines with `context` more on both sides, blank ones at the edges left out.

    Of an empty text only the place is given.
    """
    if end.column == 1 and end.row > start.row:  # up to a line break: nothing of the next line is marked
        end = max(start, Location(end.row - 1, len(source.lines[end.row - 2]) + 1))
    cell = source.cell_at(start.row)
    place = in_cell(source, start)
    path = f"{relative(source.path)}:{f'cell {cell.number}:' if cell else ''}{place.row}:{place.column}"
    rows = list(_rows(source, start, end, context))
    gutter = len(str(rows[-1].shown)) if rows else 0
    yield f"{' ' * gutter}{paint('--> ', GUTTER)}{path}"
    if not rows:
        return
    bar, empty = paint("|", GUTTER), " " * gutter
    yield f"{empty} {bar}"
    texts = {row.number: row.text for row in rows}
    left = width(shown(source.lines[start.row - 1][: start.column - 1]))
    right = width(shown(source.lines[end.row - 1][: end.column - 1]))
    several = end.row > start.row
    window = _window(list(texts.values()), left, right, TERMINAL - gutter - (5 if several else 3))
    left, right = left - window.left, right - window.left
    # A range that begins a line is opened by a slash beside it, any other by a line of its own below.
    slash = several and not texts[start.row][: left + window.left].strip()
    for number, label, text in rows:
        opened = several and start.row + (not slash) <= number <= end.row
        side = f"{paint('/' if number == start.row else '|', mark)} " if opened else "  " if several else ""
        content = window.of(text, paint)
        front = f"{paint(f'{label:>{gutter}}', GUTTER)} {bar} {side}"
        yield front + content if content else front.rstrip()
        if number == start.row and not several:
            yield f"{empty} {bar} {' ' * left}{paint('^' * max(1, right - left), mark)}"
        elif number == start.row and not slash:
            yield f"{empty} {bar} {paint(' ' + '_' * (left + 1) + '^', mark)}"
        elif number == end.row:
            yield f"{empty} {bar} {paint('|' + '_' * right + '^', mark)}"
    if rows[-1].number > end.row:
        yield f"{empty} {bar}"


def shown(text: str) -> str:
    """The text as a terminal may have it: tabs four columns wide, control characters as pictures, nothing reordered."""
    if text.isprintable() and text.isascii():
        return text
    return _OBEYED.sub("\ufffd", text.translate(_PICTURES))


def width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Cf", "Cc") and char != "\u00ad":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _rows(source: SourceFile, start: Location, end: Location, context: int) -> Iterator[_Row]:
    lines = source.lines
    cell = source.cell_at(start.row)
    first, last = max(1, start.row - context), min(len(lines), end.row + context)
    while first < start.row and (source.cell_at(first) != cell or not lines[first - 1].strip()):
        first += 1
    while last > end.row and (source.cell_at(last) != source.cell_at(end.row) or not lines[last - 1].strip()):
        last -= 1
    for number in range(first, last + 1):
        yield _Row(number, in_cell(source, Location(number, 1)).row, shown(as_written(lines[number - 1])))


def _window(texts: list[str], left: int, right: int, columns: int) -> _Window:
    """What of the lines is drawn: all that fits, else from the left, else the marked range in the middle."""
    indents = [len(text) - len(text.lstrip()) for text in texts if text.strip()]
    white = max(0, min(indents, default=0) - _ROOM)
    first, last = max(0, min(left, right) - _ROOM), max(left, right) + _ROOM
    longest = max(map(width, texts), default=0)
    begin = white - 16 if white > 20 else 0
    stop = max(longest, begin)
    if stop - begin > columns:
        if last - white <= columns:
            begin, stop = white, white + columns
        elif last - first <= columns:
            begin = max(0, first - (columns - (last - first)) // 2)
            stop = begin + columns
        else:
            begin, stop = first, last
    return _Window(begin, columns, stop - _ROOM if stop == last else stop)


def _from_column(text: str, column: int) -> str:
    for index, char in enumerate(text):
        if column <= 0:
            return text[index:]
        column -= width(char)
    return ""
