"""The record of what torch did speaks of every rule, by a test that exists, once a situation."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from flake8_tensorbranch.pages import pages
from tools import oracle

ROOT = Path(__file__).parents[2]
RECORDS = sorted(oracle.FOLDER.glob("torch-*.tsv"))
RULES = sorted(code for code, page in pages().items() if not page.rule_class.startswith("tool"))
REFERENCE = oracle.read(oracle.record_of(oracle.REFERENCE))


def test_there_is_a_record_of_an_older_torch() -> None:
    assert len(RECORDS) >= 2


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_has_each_situation_once_and_the_tests_of_its_rows_exist(path: Path) -> None:
    rows = oracle.read(path)
    assert {(row.rule, row.situation) for row in rows} == {(row.rule, row.situation) for row in REFERENCE}
    assert max(Counter((row.rule, row.situation) for row in rows).values()) == 1
    for rule, found in oracle.by_rule(rows).items():
        file = ROOT / "tests" / "oracle" / f"test_{rule.lower()}.py"
        names = {
            node.name for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
        }
        assert {row.test for row in found} <= {f"{file.name}::{name}" for name in names}


def test_every_rule_was_observed() -> None:
    assert {row.rule for row in REFERENCE} == set(RULES)


@pytest.mark.parametrize("code", RULES)
def test_the_table_has_a_message_for_the_example(code: str) -> None:
    assert oracle.messages(code, None)


def test_what_a_test_did_not_reach_says_what_stopped_it() -> None:
    report = {
        "test": "test_tbr101.py::test_x[1]",
        "told": [["TBR101", "first", "2 graphs"]],
        "failed": "AttributeError: no",
    }
    expected = [oracle.Row("TBR101", "test_tbr101.py::test_x", name, "1 graph") for name in ("first", "second")]
    assert [row.observed for row in oracle.rows_of([report], expected)] == [
        "2 graphs",
        "not observed: AttributeError: no",
    ]
