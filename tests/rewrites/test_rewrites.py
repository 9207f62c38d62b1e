"""Each rule of checkpoints sees its hazard through every ordinary rewrite, and is silent on the repair."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.rewrites import cells, cores_branches, cores_contexts, cores_reentrant, cores_states
from tests.rewrites.core import COLUMNS, HEAD, HERE, Core, Place, Section, expected, files, marks, program, sections
from tests.rewrites.kinds import KINDS, MODES
from tests.trees import put

CORES = (*cores_branches.CORES, *cores_states.CORES, *cores_contexts.CORES, *cores_reentrant.CORES)
FIRST = {core.code: core for core in reversed(CORES)}
WAYS = sections("ways.md")
SOME = ("plain", "module_as", "partial_ck", "wraps", "method", "file_region", "file_helper", "subclass", "config")
SCOPES = sections("scopes.md")
PROGRAMS = [
    (page.stem, s) for page in sorted((HERE / "programs").glob("*.md")) for s in sections(f"programs/{page.name}")
]
ERROR = re.compile(r"# error: \[(TBR\d+)\]")
SETTINGS = Settings(enable=("TBR2", "TBR4", "TBR5"))
_NUMBER = count()


def reported(text: str, folder: Path) -> dict[Place, str]:
    """What is said of the rules of checkpoints in each module of a program."""
    modules, root = files(text), folder / str(next(_NUMBER))
    put(root, modules)
    return {
        (name, item.line, item.code): item.message
        for name, module in modules.items()
        for item in check_source(SourceFile(str(root / name), module), SETTINGS)
        if item.code[3] in "245"
    }


def wrong(core: Core, way: Section, folder: Path) -> Iterator[str]:
    """What is missed or said too much of a hazard by one way, and of its repair."""
    text = program(core, way)
    found = reported(text, folder)
    wanted = expected(core, text)
    assert all(wanted)
    assert wanted
    also = {place for place in found if place[2] in core.also}
    missed = [sorted(places) for places in wanted if not places & found.keys()]
    alarms = sorted(found.keys() - set().union(*wanted) - also)
    mended = reported(program(core, way, repaired=True), folder)
    if missed or alarms or mended:
        yield f"{way.title}: missed {missed}, alarms {alarms}, of the repair {sorted(mended.items())}"


@pytest.mark.parametrize("core", CORES, ids=lambda core: f"{core.code}-{core.name}")
def test_every_way_is_seen_through(core: Core, tmp_path: Path) -> None:
    ways = WAYS if core is FIRST[core.code] else [w for w in WAYS if w.title in SOME]
    tried = [w for w in ways if (core.code, w.title) not in cells.UNWRITTEN | cells.LEFT]
    assert [line for way in tried for line in wrong(core, way, tmp_path)] == []


@pytest.mark.parametrize(("code", "title"), cells.LEFT)
def test_what_is_left_is_missed_still(code: str, title: str, tmp_path: Path) -> None:
    way = next(w for w in WAYS if w.title == title)
    told = list(wrong(FIRST[code], way, tmp_path))
    assert told
    assert "missed [[(" in told[0]
    assert told[0].endswith("alarms [], of the repair []")


@pytest.mark.parametrize("kind", KINDS)
def test_every_scope_is_seen_through(kind: str, tmp_path: Path) -> None:
    code, scope, state = KINDS[kind]
    told = []
    for form in SCOPES:
        text = f"{HEAD}\n{state.strip()}\n{form.text.replace('SCOPE', scope)}"
        places = [(name, line, words[0]) for name, line, words in marks(text)]
        wanted = {(name, line, code) for name, line, word in places if word == "here" or kind in MODES}
        if set(reported(text, tmp_path)) != wanted:
            told.append((form.title, reported(text, tmp_path)))
    assert told == []


@pytest.mark.parametrize(("code", "section"), PROGRAMS, ids=lambda part: getattr(part, "title", part))
def test_programs(code: str, section: Section, tmp_path: Path) -> None:
    wanted = {
        (name, number, found)
        for name, module in files(section.text).items()
        for number, line in enumerate(module.splitlines(), 1)
        for found in ERROR.findall(line)
    }
    assert set(reported(section.text, tmp_path)) == wanted
    assert not section.columns or code in {found for _, _, found in wanted}


def test_every_cell_is_written_or_has_a_reason() -> None:
    seen = {(code, column) for code, section in PROGRAMS for column in section.columns}
    seen |= {
        (code, column)
        for code in FIRST
        for way in WAYS
        if (code, way.title) not in cells.UNWRITTEN | cells.LEFT
        for column in way.columns
    }
    seen |= {(code, column) for code, _, _ in KINDS.values() for form in SCOPES for column in form.columns}
    rules = [
        f"TBR{number}" for first, last in ((201, 212), (401, 407), (501, 512)) for number in range(first, last + 1)
    ]
    grid = {(code, column) for code in rules for column in COLUMNS}
    assert grid - seen == set(cells.SENSELESS)
    assert all(cells.SENSELESS.values())
    assert all((cells.UNWRITTEN | cells.LEFT).values())
