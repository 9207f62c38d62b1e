"""The documentation's generated parts are current, and its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from flake8_tensorbranch.cli.parser import parser
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


def test_the_commands_in_the_readme_are_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("\n| `tensorbranch` | |\n")[2].partition("\n\n")[0]
    commands = [found for row in table.splitlines()[1:] for found in re.findall(r"`([^`]+)`", row.split("|")[1])]
    assert len(commands) >= 8
    for command in commands:
        parser().parse_args(shlex.split(command))  # ends the process, and so the test, where it is none
