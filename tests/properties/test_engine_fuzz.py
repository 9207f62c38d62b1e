"""Generated modules: the analysis never stumbles, always says the same, and keeps to its budget.

Set `TBR_FUZZ` to a number of examples for a longer run: `TBR_FUZZ=5000 pytest tests/properties/test_engine_fuzz.py`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

import hypothesmith
import pytest
from hypothesis import HealthCheck, given, settings

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.engine import lattice
from flake8_tensorbranch.engine.inference import summary
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.solver import Budget, Solution
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.syntax.tree import TreeError
from tests.properties.torchlike import torchlike

EXAMPLES = int(os.environ.get("TBR_FUZZ", "0"))
ALL = Settings(enable=("TBR",), compiled=("*",), checkpointed=("*",))
PATH = "generated.py"
LONGEST_MESSAGE = 160

SLOW = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
)


def check(text: str, options: Settings, project: Project) -> list[Diagnostic]:
    return check_source(SourceFile(PATH, text), options, project=project)


def assert_sound(text: str) -> None:
    """Check a module under default and under all options, again and in a new project."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of the generated text
        try:
            compile(text, PATH, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return
        for options in (Settings(), ALL):
            project = Project()
            try:
                found = check(text, options, project)
            except TreeError:
                continue
            assert check(text, options, project) == found
            lattice.forget()
            assert check(text, options, Project()) == found
            assert_placed(text, found)


def assert_placed(text: str, found: list[Diagnostic]) -> None:
    lines = SourceFile(PATH, text).text.splitlines() or [""]
    for item in found:
        assert 1 <= item.line <= item.end_line <= len(lines)
        assert 0 <= item.column <= len(lines[item.line - 1].encode())
        assert (item.line, item.column) <= (item.end_line, item.end_column)
        assert 0 < len(item.message) < LONGEST_MESSAGE
        assert item.message.isprintable()
        for place in item.related:
            assert place.path != PATH or 1 <= place.line <= len(lines)
    keys = [(item.line, item.column, item.code) for item in found]
    assert keys == sorted(set(keys))


@given(hypothesmith.from_grammar())
@settings(SLOW, max_examples=EXAMPLES or 25)
def test_any_module(text: str) -> None:
    assert_sound(f"import torch\n{text}")


@given(hypothesmith.from_node())
@settings(SLOW, max_examples=EXAMPLES or 15)
def test_any_tree(text: str) -> None:
    assert_sound(f"import torch\n{text}")


@given(torchlike())
@settings(SLOW, max_examples=EXAMPLES or 60)
def test_torchlike_modules(text: str) -> None:
    compile(text, PATH, "exec", dont_inherit=True)
    assert_sound(text)


@pytest.fixture(scope="module")
def visits() -> Iterator[list[tuple[int, int]]]:
    """What every solution took and might have taken."""
    seen: list[tuple[int, int]] = []
    engine: Any = summary
    plain = engine.solve

    def counted(cfg: Any, *args: Any) -> Solution[Any]:
        solution: Solution[Any] = plain(cfg, *args)
        budget = next(a for a in args if isinstance(a, Budget))
        seen.append((solution.visits, budget.visits))
        return solution

    engine.solve = counted
    yield seen
    engine.solve = plain


@given(text=torchlike(40))
@settings(SLOW, max_examples=EXAMPLES or 25)
def test_solutions_stay_well_under_their_budget(visits: list[tuple[int, int]], text: str) -> None:
    visits.clear()
    analysis = Analysis(Project())
    program = Program(analysis, analysis.project.index(PATH, text))
    program.solve()
    assert visits
    assert not any(facts.exhausted for facts in program.facts.values())
    for taken, allowed in visits:
        assert taken <= allowed
