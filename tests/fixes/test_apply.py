"""Applying edits changes what they say and nothing else, whatever the line breaks, columns and cells."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flake8_tensorbranch.diagnostic import Applicability, Diagnostic, Edit, Fix
from flake8_tensorbranch.fixes.apply import apply
from flake8_tensorbranch.source import Cell, SourceFile


def finding(*edits: Edit, code: str = "TBR506") -> Diagnostic:
    line, column = min(edits)[:2]
    return Diagnostic(line, column, line, column, code, "m", fix=Fix("Fix it", Applicability.SAFE, tuple(edits)))


@pytest.mark.parametrize(
    ("text", "edits", "expected"),
    [
        ("a\nb\n", [Edit(2, 0, 2, 1, "c")], "a\nc\n"),
        ("a\r\nb\r\n", [Edit(1, 1, 1, 1, "\nx")], "a\r\nx\r\nb\r\n"),
        ("a\rb", [Edit(2, 1, 2, 1, "\n")], "a\rb\r"),
        ("\ufeffa = 1\n", [Edit(1, 0, 1, 1, "b")], "\ufeffb = 1\n"),
        ('é = "ü"; x\n', [Edit(1, 11, 1, 12, "y")], 'é = "ü"; y\n'),
        ("a\r\nb\nc\r", [Edit(1, 0, 2, 0, "")], "b\nc\r"),
        ("", [Edit(1, 0, 1, 0, "x")], "x"),
        ("a\x0cb\n", [Edit(1, 2, 1, 3, "c")], "a\x0cc\n"),
    ],
)
def test_one_fix(text: str, edits: list[Edit], expected: str) -> None:
    assert apply(text, [finding(*edits)]).text == expected


@pytest.mark.parametrize(
    "edit",
    [Edit(0, 0, 1, 0, ""), Edit(1, 9, 1, 10, ""), Edit(9, 0, 9, 0, "x"), Edit(2, 0, 1, 0, ""), Edit(1, -1, 1, 0, "")],
)
def test_a_place_that_is_not_there_is_left_alone(edit: Edit) -> None:
    made = apply("ab\nc\n", [finding(edit)])
    assert (made.text, sum(made.fixed.values())) == ("ab\nc\n", 0)


def test_of_two_that_meet_the_first_is_applied() -> None:
    first, second = finding(Edit(1, 0, 1, 2, "x")), finding(Edit(1, 2, 1, 3, "y"), code="TBR507")
    made = apply("abc\n", [second, first])
    assert (made.text, dict(made.fixed)) == ("xc\n", {"TBR506": 1})


def test_a_fix_is_applied_whole_or_not_at_all() -> None:
    first = finding(Edit(1, 1, 1, 2, "x"))
    second = finding(Edit(1, 1, 1, 1, "y"), Edit(2, 0, 2, 1, "z"))
    assert apply("abc\nd\n", [second, first]).text == "aybc\nz\n"
    assert apply("abc\nd\n", [first, finding(Edit(1, 2, 1, 3, "z"), Edit(2, 0, 2, 1, "z"))]).text == "axc\nd\n"


def test_an_import_that_two_fixes_share_is_added_once() -> None:
    shared = Edit(1, 0, 1, 0, "import functools\n")
    made = apply("a\nb\n", [finding(shared, Edit(1, 0, 1, 1, "x")), finding(shared, Edit(2, 0, 2, 1, "y"))])
    assert (made.text, dict(made.fixed)) == ("import functools\nx\ny\n", {"TBR506": 2})


def test_two_findings_with_one_repair_are_both_fixed() -> None:
    edit = Edit(1, 1, 1, 1, ", y")
    made = apply("x\n", [finding(edit), finding(edit, code="TBR501")])
    assert (made.text, dict(made.fixed)) == ("x, y\n", {"TBR501": 1, "TBR506": 1})


def test_cells_move_with_their_text_and_no_edit_goes_across_them() -> None:
    cells = (Cell(1, 1), Cell(3, 3))
    made = apply("a\nb\nc\n", [finding(Edit(1, 0, 1, 0, "new\n"))], cells)
    assert (made.text, made.cells) == ("new\na\nb\nc\n", (Cell(1, 1), Cell(3, 4)))
    made = apply("a\nb\nc\n", [finding(Edit(3, 0, 3, 0, "new\n"))], cells)
    assert made.cells == cells
    made = apply("a\nb\nc\n", [finding(Edit(1, 0, 2, 0, ""))], cells)
    assert (made.text, made.cells) == ("b\nc\n", (Cell(1, 1), Cell(3, 2)))
    assert apply("a\nb\nc\n", [finding(Edit(2, 0, 3, 1, ""))], cells).text == "a\nb\nc\n"


TEXTS = st.lists(
    st.tuples(
        st.text(st.sampled_from("ab=# ()\t\u00e9\u20ac\U0001f600\x0c\u2028"), max_size=8),
        st.sampled_from(["\n", "\r\n", "\r"]),
    ),
    max_size=6,
).map(lambda rows: "".join(row + end for row, end in rows))


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text and edits of it, each between two of its places."""
    text = draw(TEXTS) + draw(st.sampled_from(["", "end"]))
    lines = SourceFile("p", text).text.split("\n")
    places = st.integers(1, len(lines)).flatmap(
        lambda n: st.integers(0, len(lines[n - 1])).map(lambda c: (n, len(lines[n - 1][:c].encode())))
    )
    pairs = draw(st.lists(st.tuples(places, places), max_size=4))
    content = st.sampled_from(["", "x", "\n", "é\ny"])
    return text, [Edit(*min(pair), *max(pair), draw(content)) for pair in pairs]


def expected(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not meet, spelled out over characters of the text without its mark and breaks."""
    plain = SourceFile("p", text).text
    lines = plain.split("\n")

    def offset(line: int, column: int) -> int:
        before = sum(len(row) + 1 for row in lines[: line - 1])
        return before + len(lines[line - 1].encode()[:column].decode())

    for edit in sorted(edits, reverse=True):
        first, last = offset(edit.line, edit.column), offset(edit.end_line, edit.end_column)
        plain = plain[:first] + edit.content + plain[last:]
    return plain


@given(texts_with_edits())
def test_edits_change_what_they_say_and_nothing_else(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    taken: list[Edit] = []
    for edit in sorted(edits):
        if all((e.end_line, e.end_column) < (edit.line, edit.column) for e in taken if e != edit) and edit not in taken:
            taken.append(edit)
    made = apply(text, [finding(edit) for edit in edits])
    assert sum(made.fixed.values()) == sum(edit in taken for edit in edits)
    assert SourceFile("p", made.text).text == expected(text, taken)


@given(texts_with_edits())
def test_breaks_outside_of_edits_stay(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    inserted = [edit._replace(end_line=edit.line, end_column=edit.column, content="Z") for edit in edits]
    assert apply(text, [finding(edit) for edit in inserted]).text.replace("Z", "") == text
