"""Frames over any text: nothing raises, nothing reaches a terminal that it would obey, carets stand below the range."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flake8_tensorbranch.diagnostic import Applicability, Edit, Fix
from flake8_tensorbranch.output.diff import diff
from flake8_tensorbranch.output.frame import TERMINAL, frame, shown, width
from flake8_tensorbranch.output.report import located
from flake8_tensorbranch.output.styles import ERROR, Paint
from flake8_tensorbranch.source import SourceFile

PLAIN = Paint(False)
TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("\n\n\t ab\x1b\u202e\u65e5e\u0301"), max_size=400)
PLACES = st.tuples(st.integers(0, 9), st.integers(0, 40))


@given(TEXTS, PLACES, PLACES, st.integers(0, 3))
def test_a_frame_can_be_drawn_of_anything(
    text: str, begin: tuple[int, int], finish: tuple[int, int], context: int
) -> None:
    source = SourceFile("p.py", text)
    start = located(source, *begin)
    end = max(start, located(source, *finish))
    lines = list(frame(source, start, end, context, ERROR, PLAIN))
    assert lines[0].endswith(f"--> p.py:{start.row}:{start.column}")
    assert not [char for line in lines for char in line if unicodedata.category(char) == "Cc"]
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067") & set("".join(lines))
    assert all(width(line) <= TERMINAL + 2 for line in lines[1:])
    if source.lines:
        assert sum("^" in line for line in lines if line.lstrip().startswith("|")) >= 1


@given(TEXTS, st.lists(st.tuples(PLACES, PLACES, TEXTS), min_size=1, max_size=3))
def test_a_diff_can_be_drawn_of_any_edits(text: str, parts: list[tuple[tuple[int, int], tuple[int, int], str]]) -> None:
    source = SourceFile("p.py", text)
    edits = tuple(Edit(*min(begin, finish), *max(begin, finish), content) for begin, finish, content in parts)
    lines = list(diff(source, Fix("it", Applicability.SAFE, edits), PLAIN))
    assert not [char for line in lines for char in line if char != "\t" and unicodedata.category(char) == "Cc"]


@pytest.mark.parametrize(
    ("text", "columns"), [("ab", 2), ("\u65e5", 2), ("e\u0301", 1), ("\u200b", 0), ("\U0001f600", 2), ("\u00e9", 1)]
)
def test_the_width_is_that_of_a_terminal(text: str, columns: int) -> None:
    assert width(text) == columns


def test_a_diff_breaks_lines_where_python_does() -> None:
    source = SourceFile("p.py", "x = 1  # \x0c \u2028\ny = 2\n")
    fix = Fix("it", Applicability.SAFE, (Edit(2, 0, 2, 1, "z"),))
    assert list(diff(source, fix, PLAIN)) == ["  |", "1 | x = 1  # \u240c \u2028", "  - y = 2", "2 + z = 2", "  |"]


def test_what_a_terminal_obeys_is_shown_instead() -> None:
    assert shown("a\tb\x1b[31m\x00\x7f\u202e\x9b") == "a    b\u241b[31m\u2400\u2421\ufffd\ufffd"
