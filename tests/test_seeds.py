"""The five incidents that the project exists for: `tests/seeds/` retells each in code and marks the verdicts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.markers import assert_markers, settings_of

SEEDS = Path(__file__).parent / "seeds"
NAMES = sorted(path.stem for path in SEEDS.glob("*.py"))


def source_of(name: str) -> SourceFile:
    path = SEEDS / f"{name}.py"
    return SourceFile(str(path), path.read_text(encoding="utf-8"))


def findings(name: str, settings: Settings | None = None) -> list[Diagnostic]:
    """The findings in one seed file, by default under the options that it names."""
    source = source_of(name)
    return check_source(source, settings_of(source.text) if settings is None else settings)


def finding_in(name: str, scope: str) -> Diagnostic:
    """The only finding inside the class or function `scope` of a seed file."""
    tree = ast.parse(source_of(name).text)
    (node,) = (
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == scope
    )
    assert node.end_lineno is not None
    (found,) = (item for item in findings(name) if node.lineno <= item.line <= node.end_lineno)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_verdicts(name: str) -> None:
    assert_markers(source_of(name).text, findings(name))


def test_every_incident_is_told() -> None:
    assert NAMES == [
        "evaluation",
        "grep_audit",
        "norm_cap",
        "reentrant_inputs",
        "sdpa_scope",
        "shape_branch",
        "stored_reference",
    ]


def test_evaluation_code_is_silent_unless_asked() -> None:
    assert findings("evaluation", Settings()) == []
    assert {item.code for item in findings("evaluation")} == {"TBR103"}


@pytest.mark.parametrize("scope", ["DirectCap", "InnerCap", "ReentrantCap"])
def test_a_hit_in_a_region_shows_the_checkpoint_that_reaches_it(scope: str) -> None:
    lines = source_of("norm_cap").lines
    way = [lines[place.line - 1] for place in finding_in("norm_cap", scope).related]
    assert any("checkpoint(block, x" in line for line in way), way


def test_the_message_follows_the_kind_of_checkpoint() -> None:
    """A flip raises under the non-reentrant checkpoint and is silent under the reentrant one."""
    assert "CheckpointError" not in finding_in("norm_cap", "ReentrantCap").message
    assert finding_in("norm_cap", "DirectCap").message != finding_in("norm_cap", "ReentrantCap").message


def test_the_message_follows_the_dynamic_argument() -> None:
    """One graph per outcome by default, one per size only with `dynamic=False`."""
    assert "per size" not in finding_in("shape_branch", "by_size").message
    assert "size" in finding_in("shape_branch", "by_static_size").message
    assert finding_in("shape_branch", "by_size").message != finding_in("shape_branch", "by_static_size").message


def test_a_hit_says_whether_tensor_work_or_a_result_hangs_on_it() -> None:
    work = {item.message for item in findings("grep_audit")}
    results = {item.message for item in findings("evaluation")}
    assert len(work) >= 4
    assert not work & results
