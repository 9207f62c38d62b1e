"""Rounds: fixes that make way for others, fixes that never end, fixes that break the text."""

from __future__ import annotations

import re

import pytest

from flake8_tensorbranch.diagnostic import Applicability, Diagnostic, Edit, Fix
from flake8_tensorbranch.fixes.rounds import MOST_ROUNDS, Fixed, Look, fix
from flake8_tensorbranch.fixes.safety import Safety, applied
from flake8_tensorbranch.source import Cell, SourceFile


def finding(line: int, column: int, end: int, content: str, code: str = "TBR506") -> Diagnostic:
    edit = Edit(line, column, line, end, content)
    return Diagnostic(line, column, line, end, code, "m", fix=Fix("Fix it", Applicability.SAFE, (edit,)))


def each(pattern: str, content: str) -> Look:
    """A look that finds each place of a pattern in a line, with the fix that writes `content` for it."""

    def look(source: SourceFile) -> list[Diagnostic]:
        return [
            finding(number, match.start(), match.end(), content)
            for number, line in enumerate(source.lines, 1)
            for match in re.finditer(pattern, line)
        ]

    return look


def run(text: str, look: Look, cells: tuple[Cell, ...] = ()) -> Fixed:
    return fix(SourceFile("p.py", text, cells), text, look, lambda found: True)


def test_what_a_fix_brings_up_is_fixed_in_the_next_round() -> None:
    made = run("aab\r\n", each("ab", "b"))
    assert (made.text, made.source.text, made.left, dict(made.counts)) == ("b\r\n", "b\n", (), {"TBR506": 2})


def test_what_never_ends_is_stopped_and_reported() -> None:
    made = run("a\n", each("a$", "aa"))
    assert made.text == "a" * (MOST_ROUNDS + 1) + "\n"
    assert "Failed to converge after 10 rounds in p.py: TBR506" in made.error


@pytest.mark.parametrize("broken", ["(", "\x00", "return = 1", "'"])
def test_a_round_that_breaks_the_text_is_taken_back(broken: str) -> None:
    made = run("bab\n", each("a", f" {broken} "))
    assert made.text == "bab\n"
    assert len(made.left) == 1
    assert not made.counts
    assert "Fix introduced a syntax error in p.py; undone: TBR506" in made.error


def test_earlier_rounds_stay_when_a_later_one_breaks_the_text() -> None:
    def look(source: SourceFile) -> list[Diagnostic]:
        return [finding(1, 0, 1, {"a": "b", "b": "("}[source.text[0]])]

    made = run("a\n", look)
    assert (made.text, dict(made.counts)) == ("b\n", {"TBR506": 1})
    assert made.error


def test_cells_follow() -> None:
    def look(source: SourceFile) -> list[Diagnostic]:
        return [] if "new" in source.text else [finding(1, 0, 0, "new\n")]

    made = run("a\nb\n", look, (Cell(1, 1), Cell(2, 2)))
    assert made.source.cells == (Cell(1, 1), Cell(2, 3))


@pytest.mark.parametrize(
    ("own", "safe", "unsafe", "judged"),
    [
        (Applicability.SAFE, (), (), Applicability.SAFE),
        (Applicability.SAFE, (), ("TBR506",), Applicability.UNSAFE),
        (Applicability.UNSAFE, ("TBR506",), (), Applicability.SAFE),
        (Applicability.UNSAFE, ("TBR507",), (), Applicability.UNSAFE),
        (Applicability.DISPLAY, ("TBR506",), (), Applicability.DISPLAY),
    ],
)
def test_safety(own: Applicability, safe: tuple[str], unsafe: tuple[str], judged: Applicability) -> None:
    edit = Edit(1, 0, 1, 1, "")
    found = Diagnostic(1, 0, 1, 1, "TBR506", "m", fix=Fix("Fix it", own, (edit,)))
    result = Safety(lambda code: True, safe, unsafe).judged(found)
    assert result.fix is not None
    assert result.fix.applicability is judged
    assert applied(result, unsafe_fixes=False) is (judged is Applicability.SAFE)
    assert applied(result, unsafe_fixes=True) is (judged is not Applicability.DISPLAY)
    assert Safety(lambda code: False, safe, unsafe).judged(found).fix is None
    assert not applied(found._replace(fix=None), unsafe_fixes=True)
