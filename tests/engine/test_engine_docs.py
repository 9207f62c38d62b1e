"""The engine believes what the pages beside this file say (`sections.py` has their grammar)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flake8_tensorbranch.project import Project
from tests.engine.sections import Expectation, Section, believed, read_page

PAGES = sorted(Path(__file__).parent.glob("*.md"))
SECTIONS = [section for page in PAGES for section in read_page(page)]
LEAST_PAGES = 15


def differences(section: Section, expectations: list[Expectation], folder: Path) -> list[str]:
    section.write(folder)
    project = Project()
    problems = []
    for file in {e.file for e in expectations}:
        here = [e for e in expectations if e.file == file]
        found = believed(folder, file, {e.line for e in here}, project)
        wrong = [e for e in here if found[e.line] != e.text]
        problems += [f"{file}:{e.line}: {e.code}: {found[e.line]}, not {e.text}" for e in wrong]
    return problems


def known_gaps() -> list[Any]:
    return [
        pytest.param(section, gap, id=f"{section.name}: {gap.code}")
        for section in SECTIONS
        for gap in section.expectations()
        if gap.kind == "wanted"
    ]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_section(section: Section, tmp_path: Path) -> None:
    expectations = [e for e in section.expectations() if e.kind == "revealed"]
    if not expectations:
        assert any(e.kind == "wanted" for e in section.expectations()), "a section says nothing"
        return
    assert not differences(section, expectations, tmp_path)


@pytest.mark.parametrize(("section", "gap"), known_gaps())
@pytest.mark.xfail(reason="the engine does not know this yet", raises=AssertionError, strict=True)
def test_gap(section: Section, gap: Expectation, tmp_path: Path) -> None:
    assert not differences(section, [gap], tmp_path)


def test_the_pages_are_many() -> None:
    assert len(PAGES) >= LEAST_PAGES
    titles = [section.name for section in SECTIONS]
    assert len(titles) == len(set(titles))
