"""TBR001 and TBR002: when they are said, when not, and what their fixes leave of a comment."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flake8_tensorbranch.diagnostic import Applicability, Diagnostic, analysis_failed
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import Cell, SourceFile
from flake8_tensorbranch.suppressions import Host, settle
from flake8_tensorbranch.suppressions.layout import Layout


def settled(
    text: str,
    *found: Diagnostic,
    withheld: tuple[Diagnostic, ...] = (),
    settings: Settings | None = None,
    host: Host = Host.COMMAND,
    selected: Callable[[str], bool] = lambda code: True,
    cells: tuple[Cell, ...] = (),
) -> list[Diagnostic]:
    source = SourceFile("p.py", text, cells)
    return settle(source, list(found), list(withheld), settings or Settings(), host, selected)


def at(line: int, code: str = "TBR101", end: int = 1) -> Diagnostic:
    return Diagnostic(line, 0, line, end, code, "found")


def fixed(text: str, item: Diagnostic) -> str:
    """The text after the fix of one finding, whose edits are in bytes."""
    assert item.fix is not None
    lines = [line.encode() for line in text.split("\n")]
    for edit in sorted(item.fix.edits, reverse=True):
        before, after = lines[edit.line - 1][: edit.column], lines[edit.end_line - 1][edit.end_column :]
        lines[edit.line - 1 : edit.end_line] = (before + edit.content.encode() + after).split(b"\n")
    return b"\n".join(lines).decode()


def test_a_finding_is_hidden_and_its_comment_used() -> None:
    for comment in ("# noqa: TBR101", "# ruff: ignore[TBR101]", "# ruff: ignore[tbr-branch-on-value]"):
        assert settled(f"x  {comment}\n", at(1)) == []


def test_flake8_hides_what_noqa_hides_itself() -> None:
    assert settled("x  # noqa: TBR101\n", at(1), host=Host.FLAKE8) == [at(1)]
    assert settled("x  # ruff: ignore[TBR101]\n", at(1), host=Host.FLAKE8) == []


def test_an_unused_code_is_reported_where_it_stands() -> None:
    (item,) = settled("é = 1  # noqa: E501, TBR101\n")
    assert (item.code, item.line, item.column, item.end_line, item.end_column) == ("TBR001", 1, 22, 1, 28)


@pytest.mark.parametrize(
    "options",
    [
        {"withheld": (at(1),)},
        {"selected": lambda code: code != "TBR101"},
    ],
)
def test_a_code_that_could_not_be_reported_is_not_unused(options: dict[str, object]) -> None:
    assert settled("x  # noqa: TBR101\n", **options) == []  # type: ignore[arg-type]


def test_an_opt_in_code_is_unused_only_where_it_is_enabled() -> None:
    assert settled("x  # noqa: TBR105\n") == []
    assert [item.code for item in settled("x  # noqa: TBR105\n", settings=Settings(enable=("TBR1",)))] == ["TBR001"]


def test_the_beginning_of_a_code_is_unused_in_flake8_only_where_all_of_them_run() -> None:
    assert settled("x  # noqa: TBR2\n", host=Host.FLAKE8) == []
    found = settled("x  # noqa: TBR2\n", host=Host.FLAKE8, settings=Settings(enable=("TBR",)))
    assert [item.code for item in found] == ["TBR001"]
    assert [item.code for item in settled("x  # noqa: TBR2\n")] == ["TBR002"]


def test_nothing_is_judged_in_a_file_that_failed() -> None:
    failure = analysis_failed(ValueError("x"))
    assert settled("y\nx  # noqa: TBR101, TBR999\n", failure) == [failure]
    assert settled("y  # noqa: TBR000\nx\n", failure) == []


def test_a_text_that_cannot_be_split_into_tokens_has_no_comments() -> None:
    assert settled("x = (  # noqa: TBR101\n", at(1)) == [at(1)]


def test_complaints_can_be_hidden_too() -> None:
    assert settled("x  # noqa: TBR101, TBR001\n") == []
    assert settled("# ruff: file-ignore[TBR001]\nx  # noqa: TBR101\n") == []
    assert settled("# ruff: noqa\nx  # noqa: TBR101, TBR999\n") == []


def test_another_comment_that_hides_the_same_does_not_make_one_unused() -> None:
    assert settled("# ruff: file-ignore[TBR101]\nx  # noqa: TBR101\n", at(2)) == []


def test_in_flake8_only_the_first_noqa_that_it_sees_is_judged() -> None:
    assert settled("x = '# noqa: E501'  # noqa: TBR101\n", host=Host.FLAKE8) == []
    assert [item.code for item in settled("x = '# noqa: E501'  # noqa: TBR101\n")] == ["TBR001"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x  # noqa: TBR101\ny\n", "x\ny\n"),
        ("x  # noqa: TBR101", "x"),
        ("x  # noqa: E501, TBR101\n", "x  # noqa: E501\n"),
        ("x  # noqa: TBR101,E501\n", "x  # noqa: E501\n"),
        ("x  # noqa: E501 TBR101 F401\n", "x  # noqa: E501 F401\n"),
        ("x  # noqa: TBR101, E501, TBR102  why # nosec\n", "x  # noqa: E501  why # nosec\n"),
        ("é  # noqa: TBR101 - why\n", "é  # why\n"),
        ("x  # a # noqa: TBR101 # b\n", "x  # a  # b\n"),
        ("x  # noqa: TBR101, TBR101\n", "x\n"),
        ("x  # ruff: ignore[TBR101, E501,]\n", "x  # ruff: ignore[E501,]\n"),
        ("x  # ruff: ignore[TBR101] why\n", "x  # why\n"),
        ("# ruff: file-ignore[TBR101]\nx\n", "x\n"),
        ("x\n# ruff: noqa: TBR101", "x"),
        ("# ruff: noqa: TBR101", ""),
        ("if x:\n    # ruff: disable[TBR101]\n    x\n    # ruff: enable[TBR101]\n", "if x:\n    x\n"),
        (
            "# ruff: disable[TBR101, E501] a\nx\n# ruff: enable[TBR101, E501] b\n",
            "# ruff: disable[E501] a\nx\n# ruff: enable[E501] b\n",
        ),
    ],
)
def test_the_fix_removes_the_code_and_nothing_else(text: str, expected: str) -> None:
    (item,) = settled(text)
    assert item.fix is not None
    assert item.fix.applicability is Applicability.SAFE
    assert fixed(text, item) == expected


@pytest.mark.parametrize(
    "text",
    [
        # The second noqa would count once the first is gone.
        "x  # noqa: TBR101 # noqa: E501\n",
        # Flake8 takes this for a blanket, ruff for one code.
        "x  # noqa:  TBR101\n",
        "x  # noqa: TBR101 noqa: E501\n",
    ],
)
def test_there_is_no_fix_where_the_rest_would_be_read_otherwise(text: str) -> None:
    (item,) = settled(text)
    assert item.code == "TBR001"
    assert item.fix is None


def test_the_fix_of_an_unknown_code_asks_first() -> None:
    (item,) = settled("x  # noqa: TBR999, E501\n")
    assert item.fix is not None
    assert item.fix.applicability is Applicability.UNSAFE
    assert fixed("x  # noqa: TBR999, E501\n", item) == "x  # noqa: E501\n"


def test_lines_of_a_notebook_stay() -> None:
    text = "x\n# ruff: file-ignore[TBR101]\ny\n"
    (item,) = settled(text, cells=(Cell(1, 1), Cell(2, 3)))
    assert fixed(text, item) == "x\n\ny\n"


@pytest.mark.parametrize("text", ["x = 1  # a comment\n", "# noqa: E501\nx\n", "# ruff: noqa: F401\n"])
def test_a_clean_file_is_not_split_into_tokens(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("tokenize.generate_tokens", refuse)
    assert settled(text) == []
    assert settled("x = 1\n", at(1)) == [at(1)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x\n", 1),
        ("x = 1 + \\\n  2\n", 2),
        ('x = 1, """\n\n"""\n', 3),
        ("x = 'a\\\nb'\n", 2),
        ("x = (\n1)\n", 1),
    ],
)
def test_the_line_of_a_comment_is_the_last_of_those_read_as_one(text: str, line: int) -> None:
    assert Layout(text).noqa_line(1) == line
