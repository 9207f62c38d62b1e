"""The documentation's generated parts are current, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import docs

ROOT = Path(__file__).parents[2]
TEXTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS += sorted((ROOT / "flake8_tensorbranch" / "docs").glob("*.md"))


@pytest.mark.parametrize(("file", "marker"), docs.PARTS)
def test_generated_parts_are_current(file: str, marker: str) -> None:
    assert docs.is_current(file, marker), "run: python tools/docs.py"


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_links_between_files_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    assert [to for to in targets if not to.startswith("https://") and not (path.parent / to).exists()] == []


def test_every_page_is_reached_from_the_index() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert {name for name in pages if f"({name})" not in text} == set()
