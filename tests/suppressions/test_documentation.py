"""The examples of the documentation about suppressions do what it says: each comment hides the one finding there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.suppressions import Host, settle

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [
    block
    for name in ("suppressions.md", "adopting.md")
    for block in BLOCK.findall((DOCS / name).read_text(encoding="utf-8"))
    if "noqa" in block or "ruff:" in block
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_shown_comment_hides_what_is_found(block: str) -> None:
    source, settings = SourceFile("p.py", block), Settings()
    found = check_source(source, settings)
    assert found
    assert settle(source, found, [], settings, Host.COMMAND, lambda code: True) == []


def test_there_are_examples() -> None:
    assert len(BLOCKS) >= 3
