"""The Python blocks of every rule page are linted, and found exactly as their markers say."""

from __future__ import annotations

import re

import pytest

from flake8_tensorbranch.catalogue import described
from flake8_tensorbranch.pages import Page, pages
from flake8_tensorbranch.source import SourceFile
from tests.complaints import everything
from tests.markers import assert_markers, parse_markers, settings_of

HEADINGS = ["What it does", "Why is this bad?", "Example", "Repair", "When to keep it", "References"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = list(pages().values())
BLOCKS = [
    pytest.param(page.code, block, id=f"{page.code}-{number}")
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.text), 1)
]


@pytest.mark.parametrize(("code", "block"), BLOCKS)
def test_block(code: str, block: str) -> None:
    assert_markers(block, everything(SourceFile(f"{code}.md", block), settings_of(block)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_headings(page: Page) -> None:
    assert re.findall(r"^## (.+)$", page.text, re.MULTILINE) == HEADINGS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_a_fix_is_told_of_with_its_reason(page: Page) -> None:
    told = re.findall(r"^### Fix\n(Safe|Unsafe|Shown only, not applied): .+\. .+", page.text, re.MULTILINE | re.DOTALL)
    assert len(told) == page.text.count("### ") == (described(page.code)["fix_availability"] != "None")


@pytest.mark.parametrize("page", [page for page in PAGES if page.code != "TBR000"], ids=lambda page: page.code)
def test_example_fires_and_repair_does_not(page: Page) -> None:
    sections = dict(zip(HEADINGS, re.split(r"^## .+$", page.text, flags=re.MULTILINE)[1:], strict=True))
    example, repair = (BLOCK.findall(sections[heading]) for heading in ("Example", "Repair"))
    assert any(
        marker.code == page.code and marker.kind == "error" for text in example for marker in parse_markers(text)
    )
    assert repair
    assert not any(marker.kind == "error" for text in repair for marker in parse_markers(text))
