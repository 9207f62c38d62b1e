"""Every rule's fixture (`tests/rules/tbrNNN.py`, or a package of that name) is found exactly as its markers say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.source import SourceFile
from tests.markers import assert_markers, parse_markers, settings_of

RULES = Path(__file__).parent / "rules"
FIXTURES = sorted(path for path in RULES.glob("tbr[0-9][0-9][0-9]*") if path.is_dir() or path.suffix == ".py")
LEAST = 3
LONGEST_MESSAGE = 160


def modules_of(fixture: Path) -> list[Path]:
    return sorted(fixture.rglob("*.py")) if fixture.is_dir() else [fixture]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_fixture(fixture: Path) -> None:
    sources = [SourceFile(str(path), path.read_text(encoding="utf-8")) for path in modules_of(fixture)]
    found = [check_source(source, settings_of(source.text)) for source in sources]
    related = [place for items in found for item in items for place in item.related]
    for source, items in zip(sources, found, strict=True):
        here = [place for place in related if Path(place.path).resolve() == Path(source.path).resolve()]
        assert_markers(source.text, items, related=here)
        for item in items:
            assert item.message.isprintable()
            assert 0 < len(item.message) < LONGEST_MESSAGE


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_fixture_is_a_specification(fixture: Path) -> None:
    code = fixture.stem[:6].upper()
    modules = modules_of(fixture)
    kinds = Counter(
        marker.kind
        for path in modules
        for marker in parse_markers(path.read_text(encoding="utf-8"))
        if marker.code == code
    )
    assert kinds["error"] >= LEAST
    assert kinds["ok"] >= LEAST
