"""Our reading of comments against that of ruff and flake8, over modules made at random."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest

from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.suppressions import Host
from flake8_tensorbranch.suppressions.grammar import Action
from flake8_tensorbranch.suppressions.layout import Layout
from flake8_tensorbranch.suppressions.reach import suppressions
from tests.coexistence import tools
from tests.coexistence.random_programs import block_programs, comment_programs

ALL = frozenset(Action)


def undefined(text: str) -> list[Diagnostic]:
    return [
        Diagnostic(node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, "F821", "undefined")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and node.id == "missing"
    ]


def shown(text: str, host: Host, actions: frozenset[Action]) -> set[tuple[int, int, str]]:
    """The places of the undefined name that no comment hides, of the comments that do one of `actions`."""
    source = SourceFile("p.py", text)
    every = [item for item in suppressions(Layout(source.text), host) if item.first.directive.action in actions]
    places = set()
    for item in undefined(text):
        begin, end = source.position(item.line, item.column), source.position(item.end_line, item.end_column)
        meant = [it for it in every if it.first.directive.words is None or "F821" in it.first.words]
        if not any(suppression.reaches(begin, end) for suppression in meant):
            places.add((begin[0], begin[1] + 1, "F821"))
    return places


def noqa_in_string(text: str) -> bool:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return any("noqa" in token.string for token in tokens if token.type != tokenize.COMMENT)


@pytest.mark.parametrize("make", [comment_programs, block_programs], ids=lambda make: make.__name__)
def test_11_ruff_reads_random_comments_as_we_do(make: object, tmp_path: Path) -> None:
    assert callable(make)
    texts = {f"p{number}.py": text for number, text in enumerate(make(seed=11, number=800))}
    tools.put(tmp_path, texts)
    found = tools.ruff_finds(tmp_path, "--select=F821")
    differing = [text for name, text in texts.items() if shown(text, Host.COMMAND, ALL) != found.get(name, set())]
    assert differing == []
    hidden = sum(len(undefined(text)) for text in texts.values()) - sum(len(items) for items in found.values())
    assert hidden > 50


def test_08_flake8_reads_random_comments_as_we_think(tmp_path: Path) -> None:
    """What TBR001 rests on in the plugin: which `noqa` hides what; text in strings, which counts too, left out."""
    made = [text for text in block_programs(8, 400) if not noqa_in_string(text)]
    texts = {f"p{number}.py": text for number, text in enumerate([*made, *comment_programs(8, 120)])}
    texts = {name: text for name, text in texts.items() if "flake8" not in text}
    assert len(texts) > 150
    tools.put(tmp_path, texts)
    found = tools.flake8_finds(tmp_path, "--select=F821")
    only = frozenset({Action.NOQA})
    differing = [text for name, text in texts.items() if shown(text, Host.FLAKE8, only) != found.get(name, set())]
    assert differing == []
