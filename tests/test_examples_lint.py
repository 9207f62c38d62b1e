"""What the linter says about `examples/`: each broken program is reported where it is broken, no repaired one is."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
ALL_RULES = Settings(enable=("TBR",))

Place = tuple[str, str, str]
"""A code, the innermost function and the text of the line."""

EXPECTED: dict[str, list[Place]] = {
    "norm_cap_broken": [("TBR201", "forward", "if (scale < 1.0).any():")],
    "reentrant_inputs_broken": [
        ("TBR501", "forward", "hidden = checkpoint(self.layer, hidden, use_reentrant=True)"),
    ],
    "sdpa_scope_broken": [
        ("TBR401", "step", "with sdpa_kernel(SDPBackend.MATH):"),
        ("TBR401", "reentrant_step", "with sdpa_kernel(SDPBackend.MATH):"),
    ],
    "shape_branch_broken": [
        ("TBR301", "attention", "if query.shape[-1] > 384:"),
        ("TBR301", "attention", "elif query.shape[-1] > 256:"),
        ("TBR301", "attention", "elif query.shape[-1] > 128:"),
    ],
}


def innermost_function(tree: ast.Module, line: int) -> str:
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(around, key=lambda node: node.lineno).name if around else ""


def places(name: str, settings: Settings) -> list[Place]:
    path = EXAMPLES / f"{name}.py"
    source = SourceFile(str(path), path.read_text(encoding="utf-8"))
    tree = ast.parse(source.text)
    return [
        (item.code, innermost_function(tree, item.line), source.lines[item.line - 1].strip())
        for item in check_source(source, settings)
    ]


@pytest.mark.parametrize("settings", [Settings(), ALL_RULES], ids=["default", "all"])
@pytest.mark.parametrize("name", NAMES)
def test_places(name: str, settings: Settings) -> None:
    assert places(name, settings) == EXPECTED.get(name, [])


def test_every_broken_example_is_expected_to_be_reported() -> None:
    assert set(EXPECTED) == {name for name in NAMES if name.endswith("_broken")}


def test_the_command_of_the_readme() -> None:
    command = [sys.executable, "-m", "flake8", "--select", "TBR", "examples/"]
    done = subprocess.run(command, cwd=EXAMPLES.parent, capture_output=True, text=True, check=False)
    found = re.findall(r"^examples/(\w+)\.py:\d+:\d+: (TBR\d{3}) ", done.stdout, re.MULTILINE)
    assert done.stderr == ""
    assert found == [(name, code) for name in sorted(EXPECTED) for code, _, _ in EXPECTED[name]]
    assert len(done.stdout.splitlines()) == len(found)
