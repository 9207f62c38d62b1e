"""Every rule's fixtures (`tests/rules/tbrNNN*.py`, or packages named so) are found exactly as their markers say."""

from __future__ import annotations

from pathlib import Path

import pytest

from flake8_tensorbranch.rules import load
from flake8_tensorbranch.source import SourceFile
from tests.complaints import everything
from tests.markers import assert_markers, parse_markers, settings_of

RULES = Path(__file__).parent / "rules"
FIXTURES = sorted(path for path in RULES.glob("tbr[0-9][0-9][0-9]*") if path.is_dir() or path.suffix == ".py")
LONGEST_MESSAGE = 160


def modules_of(fixture: Path) -> list[Path]:
    return sorted(fixture.rglob("*.py")) if fixture.is_dir() else [fixture]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.name)
def test_fixture(fixture: Path) -> None:
    sources = [SourceFile(str(path), path.read_text(encoding="utf-8")) for path in modules_of(fixture)]
    found = [everything(source, settings_of(source.text)) for source in sources]
    related = [place for items in found for item in items for place in item.related]
    for source, items in zip(sources, found, strict=True):
        here = [place for place in related if Path(place.path).resolve() == Path(source.path).resolve()]
        assert_markers(source.text, items, related=here)
        for item in items:
            assert item.message.isprintable()
            assert 0 < len(item.message) < LONGEST_MESSAGE


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.name)
def test_what_is_marked_silent_would_be_heard(fixture: Path) -> None:
    opt_in = {loaded.code for loaded in load() if loaded.rule.opt_in}
    for text in (path.read_text(encoding="utf-8") for path in modules_of(fixture)):
        settings = settings_of(text)
        off = {code for code in opt_in if not settings.is_enabled(code, True)}
        assert not [marker for marker in parse_markers(text) if marker.code in off], "no option enables this rule"
