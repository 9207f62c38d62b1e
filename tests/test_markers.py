"""The marker grammar: what each form matches, and that every disagreement is reported."""

from __future__ import annotations

import pytest

from flake8_tensorbranch.diagnostic import Confidence, Diagnostic, Related
from flake8_tensorbranch.settings import Settings
from tests.markers import Marker, MarkerError, assert_markers, parse_markers, settings_of

ORIGIN = Related("p", 1, 0, "origin of x")


def finding(line: int, column: int = 0, code: str = "TBR101", *related: Related) -> Diagnostic:
    return Diagnostic(line, column, line, column + 1, code, "a message", related=related)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1  # error: [TBR101]\n", [Marker(1, "error", "TBR101")]),
        ('x = 1  # error: 8 [TBR101] "some text"\n', [Marker(1, "error", "TBR101", 8, "some text")]),
        ('x = 1  # note: "from here"\n', [Marker(1, "note", "", None, "from here")]),
        ("x = 1  # revealed: tensor[data, shape]\n", [Marker(1, "revealed", "", None, "tensor[data, shape]")]),
        ("x = 1  # ok: [TBR101] a list\n", [Marker(1, "ok", "TBR101", None, "a list")]),
        ("x = 1  # todo: [TBR101] why\n", [Marker(1, "todo", "TBR101", None, "why")]),
        ("x = 1  # todo-ok: [TBR101] why\n", [Marker(1, "todo-ok", "TBR101", None, "why")]),
        (
            "# error: [TBR101]\n# error: [TBR102]\n\nx = 1\n",
            [Marker(4, "error", "TBR101"), Marker(4, "error", "TBR102")],
        ),
        ("x = (\n    # error: [TBR101]\n    1\n)\n", [Marker(3, "error", "TBR101")]),
        (
            "x = 1  # noqa: E501  # error: [TBR101]  # ok: [TBR102] one loop\n",
            [Marker(1, "error", "TBR101"), Marker(1, "ok", "TBR102", None, "one loop")],
        ),
        ('x = "# error: [TBR101]"\n', []),
        ('"""\n# error: nonsense\n"""\n', []),
        ("x = 1  # an error: here\n", []),
    ],
)
def test_parse(text: str, expected: list[Marker]) -> None:
    assert parse_markers(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # error: TBR101\n",
        "x = 1  # error: [TBR10]\n",
        "x = 1  # error:[TBR101]\n",
        "x = 1  # error: 0 [TBR101]\n",
        "x = 1  # error: [TBR101] unquoted\n",
        'x = 1  # error: [TBR101] ""\n',
        "x = 1  # note: unquoted\n",
        "x = 1  # ok: [TBR101]\n",
        "x = 1  # todo: finish this\n",
        "x = 1  # revealed:\n",
        "x = 1\n# error: [TBR101]\n",
        "x = 1  # ok: [TBR101] why  # error: [TBR101]\n",
    ],
)
def test_malformed_markers_are_errors(text: str) -> None:
    with pytest.raises(MarkerError):
        parse_markers(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 1\n", []),
        ("x = 1  # error: [TBR101]\n", [finding(1)]),
        ('x = 1  # error: 5 [TBR101] "mess"\n', [finding(1, 4)]),
        ('é = x  # error: 5 [TBR101] "mess"\n', [finding(1, 5)]),
        ("x = 1  # error: [TBR101]  # error: 5 [TBR101]\n", [finding(1, 4), finding(1, 0)]),
        ("x = 1  # error: [TBR101]  # error: [TBR102]\n", [finding(1, 0, "TBR102"), finding(1, 4)]),
        ("x = 1  # ok: [TBR101] why\n", []),
        ("x = 1  # ok: [TBR101] why  # error: [TBR102]\n", [finding(1, 0, "TBR102")]),
        ("x = 1  # todo: [TBR101] why\n", []),
        ("x = 1  # todo: [TBR101] why  # error: [TBR102]\n", [finding(1, 0, "TBR102")]),
        ("x = 1  # todo-ok: [TBR101] why\n", [finding(1)]),
        ('x = 1  # note: "origin"\ny = x  # error: [TBR101]\n', [finding(2, 0, "TBR101", ORIGIN)]),
    ],
)
def test_agreement(text: str, found: list[Diagnostic]) -> None:
    assert_markers(text, found)


@pytest.mark.parametrize(
    ("text", "found", "words"),
    [
        ("x = 1\n", [finding(1, 4)], r'line 1: unexpected: 5 \[TBR101\] "a message"'),
        ("x = 1  # error: [TBR101]\n", [], r"line 1: not found: \[TBR101\]"),
        ("x = 1  # error: [TBR101]\n", [finding(2)], "line 2: unexpected"),
        ("x = 1  # error: [TBR101]\n", [finding(1, 0, "TBR102")], r"not found: \[TBR101\]"),
        ("x = 1  # error: 4 [TBR101]\n", [finding(1, 4)], "not found: 4"),
        ('x = 1  # error: [TBR101] "other"\n', [finding(1)], 'not found: .* "other"'),
        ("x = 1  # error: [TBR101]\n", [finding(1), finding(1)], "unexpected"),
        ("x = 1  # error: [TBR101]  # error: [TBR101]\n", [finding(1)], "not found"),
        ("x = 1  # ok: [TBR101] why\n", [finding(1)], "unexpected"),
        ("x = 1  # todo: [TBR101] why\n", [finding(1)], "now found"),
        ("x = 1  # todo: [TBR101] why  # error: [TBR101]\n", [finding(1), finding(1, 4)], "now found"),
        ("x = 1  # todo-ok: [TBR101] why\n", [], "gone"),
        ('x = 1  # note: "origin"\n', [], "no related place"),
        ('x = 1  # note: 3 "origin"\n', [finding(9, 0, "TBR101", ORIGIN)], "no related place"),
    ],
)
def test_disagreement(text: str, found: list[Diagnostic], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        assert_markers(text, found)


def test_revealed_values_are_compared_exactly() -> None:
    text = "x = 1  # revealed: int\ny = 2\n"
    assert_markers(text, [], revealed={1: ["int"]})
    for wrong in ({}, {1: ["str"]}, {1: ["int", "int"]}, {1: ["int"], 2: ["int"]}):
        with pytest.raises(AssertionError, match="revealed"):
            assert_markers(text, [], revealed=wrong)


def test_options() -> None:
    text = "# options: --tbr-enable=TBR103,TBR105\n# options: --tbr-compiled=* --tbr-confidence=certain\nx = 1\n"
    expected = Settings(enable=("TBR103", "TBR105"), compiled=("*",), confidence=Confidence.CERTAIN)
    assert settings_of(text) == expected
    assert settings_of("x = 1\n") == Settings()


@pytest.mark.parametrize(
    "text",
    ["x = 1\n# options: --tbr-enable=TBR\n", "# options: --no-such\n", "# options: --tbr-enable=E501\n"],
)
def test_bad_options_are_errors(text: str) -> None:
    with pytest.raises(MarkerError):
        settings_of(text)
