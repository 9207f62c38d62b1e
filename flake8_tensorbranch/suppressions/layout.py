"""The layout of a file as suppressions see it: its comments, the lines that belong together, its blocks."""

from __future__ import annotations

import bisect
import io
import re
import tokenize
from collections.abc import Iterator
from token import COMMENT, DEDENT, ENDMARKER, NEWLINE, NL, STRING
from typing import NamedTuple

from flake8_tensorbranch.suppressions.grammar import flake8_noqa

Place = tuple[int, int]
"""A 1-based line and a 0-based column in characters."""

_BLANK = " \t\f"
_FSTRING_STARTS = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")} - {-1}
_FSTRING_ENDS = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")} - {-1}
_TRIPLE = re.compile(r"[A-Za-z]*('''|\"\"\")")


class Comment(NamedTuple):
    """One comment: the number of its token, its place and its text from the `#` on."""

    token: int
    line: int
    column: int
    text: str


class Layout:
    """The tokens of one text, and what follows from them.

    Raises `tokenize.TokenError` or `SyntaxError` for a text that `tokenize` does not take.
    """

    def __init__(self, text: str) -> None:
        # The default of StringIO breaks lines at \n alone, as `ast` does in a text without \r.
        self.tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        self.lines = text.split("\n")
        self.comments = [
            Comment(number, *token.start, token.string)
            for number, token in enumerate(self.tokens)
            if token.type == COMMENT
        ]
        self._ruff = _Runs(_merged(sorted(self._ruff_runs())))
        self._flake8 = _Runs(list(self._flake8_runs()))
        self._breaks = {token.start[0] for token in self.tokens if token.type in (NL, NEWLINE)}

    def indent(self, line: int, column: int) -> str | None:
        """What stands before a place if it is nothing but blanks; None otherwise."""
        before = self.lines[line - 1][:column]
        return None if before.strip(_BLANK) else before

    def run(self, line: int) -> tuple[int, int]:
        """The lines that ruff takes for one: a triple-quoted string, an f-string, lines joined by backslashes."""
        return self._ruff.holding(line)

    def flake8_run(self, line: int) -> tuple[int, int]:
        """The lines that flake8 takes for one: all tokens up to the next line break that is a token."""
        return self._flake8.holding(line)

    def noqa_line(self, line: int) -> int:
        """Where a `noqa` comment hides a finding that begins on `line`: ruff's line, or flake8's if none fits there."""
        last = self.run(line)[1]
        return last if self.ends_in_line_break(last) else self.flake8_run(line)[1]

    def is_read_by_flake8(self, comment: Comment) -> bool:
        """Whether the first `noqa` that flake8 sees on the lines it takes for one is in this comment."""
        first, last = self.flake8_run(comment.line)
        text = "\n".join(self.lines[first - 1 : last])
        match = flake8_noqa(text)
        before = sum(len(line) + 1 for line in self.lines[first - 1 : comment.line - 1]) + comment.column
        return match is not None and match.start() >= before

    def ends_in_line_break(self, line: int) -> bool:
        """Whether a comment can stand at the end of a line: its line break is neither in a string nor escaped."""
        return line in self._breaks

    def _ruff_runs(self) -> Iterator[tuple[int, int]]:
        strings: list[int] = []
        previous: tokenize.TokenInfo | None = None
        for token in self.tokens:
            first, last = token.start[0], token.end[0]
            if previous is not None and previous.type not in (NL, NEWLINE) and first > previous.end[0]:
                yield previous.end[0], first
            if token.type in _FSTRING_STARTS:
                strings.append(first)
            elif token.type in _FSTRING_ENDS and strings:
                first = strings.pop()
                if not strings and last > first:
                    yield first, last
            elif token.type == STRING and last > first and _TRIPLE.match(token.string):
                yield first, last
            previous = token

    def _flake8_runs(self) -> Iterator[tuple[int, int]]:
        first = 0
        for token in self.tokens:
            if token.type not in (ENDMARKER, DEDENT):
                first = first or token.start[0]
                if token.type in (NL, NEWLINE):
                    yield first, token.start[0]
                    first = 0


class _Runs:
    """Ranges of lines, in order, that do not overlap."""

    def __init__(self, runs: list[tuple[int, int]]) -> None:
        self._runs = runs
        self._starts = [first for first, _ in runs]

    def holding(self, line: int) -> tuple[int, int]:
        """The range that a line is in; a line in none is its own."""
        at = bisect.bisect_right(self._starts, line) - 1
        return self._runs[at] if at >= 0 and line <= self._runs[at][1] else (line, line)


def _merged(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in runs:
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged
