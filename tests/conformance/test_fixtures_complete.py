"""Every rule's fixtures hold several errors and tempting negatives, also across files where these can matter."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from flake8_tensorbranch.rules import load
from tests.markers import parse_markers

RULES = Path(__file__).parents[1] / "rules"
CODES = sorted(loaded.code for loaded in load())
# What a checkpoint runs, and the scope that it runs in, are as often as not in another file than the call.
REACHING = [code for code in CODES if code[3] in "24"]
LEAST = 3


def counted(code: str, fixtures: list[Path]) -> Counter[str]:
    """How many markers of each kind the fixtures hold for a code."""
    modules = [m for f in fixtures for m in (sorted(f.rglob("*.py")) if f.is_dir() else [f])]
    return Counter(
        marker.kind
        for module in modules
        for marker in parse_markers(module.read_text(encoding="utf-8"))
        if marker.code == code
    )


@pytest.mark.parametrize("code", CODES)
def test_errors_and_negatives(code: str) -> None:
    kinds = counted(code, sorted(RULES.glob(f"{code.lower()}*")))
    assert kinds["error"] >= LEAST
    assert kinds["ok"] >= LEAST


@pytest.mark.parametrize("code", REACHING)
def test_errors_and_negatives_across_files(code: str) -> None:
    packages = [path for path in sorted(RULES.glob(f"{code.lower()}*")) if (path / "__init__.py").is_file()]
    assert any(len(list(package.glob("[!_]*.py"))) > 1 for package in packages)
    kinds = counted(code, packages)
    assert kinds["error"] + kinds["todo"] > 0
    assert kinds["ok"] > 0
