"""Positions and decoding of `SourceFile`."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flake8_tensorbranch.source import SourceFile, character_column


@pytest.mark.parametrize(
    ("line", "byte_column", "character", "utf16"),
    [
        ("x = 1", 4, 4, 4),
        ("é = x", 5, 4, 4),
        ('"\U0001f600", x', 8, 5, 6),
        ("x", 99, 1, 1),
        ("é", 1, 0, 0),
        ("x", -1, 0, 0),
    ],
)
def test_columns(line: str, byte_column: int, character: int, utf16: int) -> None:
    source = SourceFile("p.py", line + "\n")
    assert source.position(1, byte_column) == (1, character)
    assert source.utf16_position(1, byte_column) == (1, utf16)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.integers(0, 50))
def test_character_column_inverts_encoding(text: str, index: int) -> None:
    assert character_column(text, len(text[:index].encode())) == min(index, len(text))


@pytest.mark.parametrize(
    ("text", "line", "column", "expected"),
    [
        ("", 1, 0, (1, 0)),
        ("", 7, 3, (1, 0)),
        ("ab\n", 0, 5, (1, 0)),
        ("ab\n", -3, 0, (1, 0)),
        ("ab\ncd\n", 9, 0, (2, 2)),
        ("ab\ncd", 2, 9, (2, 2)),
    ],
)
def test_positions_stay_inside_the_file(text: str, line: int, column: int, expected: tuple[int, int]) -> None:
    assert SourceFile("p.py", text).position(line, column) == expected


def test_lines_break_where_ast_breaks_them() -> None:
    text = "a = 1\r\nb = 'x\x0cy\u2028z'\rc = 3\n"
    source = SourceFile("p.py", text)
    assert source.lines == ["a = 1", "b = 'x\x0cy\u2028z'", "c = 3"]
    assert [node.lineno for node in ast.parse(text).body] == [1, 2, 3]
    assert SourceFile.from_lines("p.py", ["a = 1\n", "b"]).lines == ["a = 1", "b"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfx = 1\r\n", "x = 1\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        ("x = 'é'\n".encode(), "x = 'é'\n"),
        (b"", ""),
    ],
)
def test_bytes_are_decoded_as_python_does(data: bytes, text: str) -> None:
    assert SourceFile.from_bytes("p.py", data).text == text


@pytest.mark.parametrize(
    "data", [b"# coding: no-such\n", b"\xff\xfe", b"x = '\xe9'\n", b"# coding: ascii\n# \xe9\n\n\n\xe9"]
)
def test_undecodable_bytes_raise(data: bytes) -> None:
    with pytest.raises((SyntaxError, UnicodeDecodeError)):
        SourceFile.from_bytes("p.py", data)


def test_gate() -> None:
    source = SourceFile("p.py", "import numpy\nfrom tensors import t\n")
    assert not source.mentions(("torch",))
    assert source.mentions(("torch", "tensors"))
