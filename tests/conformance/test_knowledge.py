"""What is known of torch stands in the tables: no module of the engine or of the rules lists its names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from flake8_tensorbranch.knowledge import names

PACKAGE = Path(__file__).resolve().parents[2] / "flake8_tensorbranch"
MODULES = sorted([*(PACKAGE / "engine").rglob("*.py"), *(PACKAGE / "rules").rglob("*.py")])
MOST = 2
"""So many names of torch may stand in a constant: a qualified name and its older spelling."""


def of_torch(value: ast.expr) -> set[str]:
    """The names of torch in a constant: qualified ones, and those of methods that only tensors have."""
    words = {
        word
        for node in ast.walk(value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in node.value.split()
    }
    return {w for w in words if w.startswith("torch.") or w in names.TENSOR_ONLY_METHODS}


def constants(source: str) -> Iterator[tuple[int, set[str]]]:
    """The constants of a module; those called `..WORDS` are searched for in the text of files, and say nothing."""
    for node in ast.parse(source).body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if not (isinstance(target, ast.Name) and target.id.endswith("WORDS")):
                yield node.lineno, of_torch(node.value)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.relative_to(PACKAGE).as_posix())
def test_names_of_torch_stand_in_the_tables(module: Path) -> None:
    found = [(line, sorted(known)) for line, known in constants(module.read_text("utf-8")) if len(known) > MOST]
    assert not found, f"move them to a table of flake8_tensorbranch/knowledge, with a source: {found}"


@pytest.mark.parametrize(
    ("source", "known"),
    [
        ('_CUTS = frozenset("detach append cumsum".split())', {"detach"}),
        ('_LOADS = {"torch.load", "json.load"}', {"torch.load"}),
        ('_WORDS = ("torch.load", "torch.save", "torch.equal")', None),
    ],
)
def test_what_counts(source: str, known: set[str] | None) -> None:
    assert [found for _, found in constants(source)] == ([] if known is None else [known])
