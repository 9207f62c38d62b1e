"""`docs/inference.md` says of its examples what the engine believes (the grammar of `tests/engine/sections.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from flake8_tensorbranch.engine.words import DEP_NAMES, KIND_NAMES
from flake8_tensorbranch.project import Project
from tests.engine.sections import Section, believed, read_page

PAGE = Path(__file__).parents[1] / "docs" / "inference.md"
SECTIONS = read_page(PAGE)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_examples(section: Section, tmp_path: Path) -> None:
    section.write(tmp_path)
    expected = {(e.file, e.line): f"{e.code}: {e.text}" for e in section.expectations()}
    assert expected
    project = Project()
    found = {}
    for file in {file for file, _ in expected}:
        lines = believed(tmp_path, file, {line for name, line in expected if name == file}, project)
        codes = {e.line: e.code for e in section.expectations() if e.file == file}
        found.update({(file, line): f"{codes[line]}: {text}" for line, text in lines.items()})
    assert found == expected


def test_every_kind_and_mark_is_explained() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in (*KIND_NAMES.values(), *DEP_NAMES.values()) if f"`{name}`" not in text] == []
