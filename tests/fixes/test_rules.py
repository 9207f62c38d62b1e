"""Every fix of every fixture and page repairs its finding: applied, the text parses and nothing new is found."""

from __future__ import annotations

import ast
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Applicability, Diagnostic
from flake8_tensorbranch.fixes.apply import apply
from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.rules import load
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.markers import settings_of
from tests.test_docs import BLOCK
from tests.test_fixtures import FIXTURES, modules_of

FORMS = Path(__file__).parent / "forms"
AVAILABILITY = {loaded.code: loaded.rule.fix_availability for loaded in load()}
TEXTS = [
    *(pytest.param(path, id=path.name) for path in [*FIXTURES, *sorted(FORMS.glob("*.py"))]),
    *(
        pytest.param((page.code, block), id=f"{page.code}-{number}")
        for page in pages().values()
        for number, block in enumerate(BLOCK.findall(page.text), 1)
    ),
]


def files_of(given: Path | tuple[str, str], folder: Path) -> Iterator[Path]:
    """The modules of a fixture or a page's block, in a folder of their own."""
    if isinstance(given, tuple):
        (folder / "block.py").write_text(given[1], encoding="utf-8")
        yield folder / "block.py"
    elif given.is_dir():
        shutil.copytree(given, folder / given.name)
        yield from modules_of(folder / given.name)
    else:
        shutil.copy(given, folder)
        yield folder / given.name


def counted(found: Sequence[Diagnostic]) -> Counter[str]:
    return Counter(item.code for item in found)


def look(path: Path, text: str, settings: Settings) -> list[Diagnostic]:
    ast.parse(text)
    return check_source(SourceFile(str(path), text), settings)


@pytest.mark.parametrize("given", TEXTS)
def test_each_fix_ends_its_finding(given: Path | tuple[str, str], tmp_path: Path) -> None:
    for path in files_of(given, tmp_path):
        text = path.read_text(encoding="utf-8")
        settings = settings_of(text)._replace(enable=("TBR",))
        before = look(path, text, settings)
        for item in before:
            if item.fix is None:
                assert AVAILABILITY.get(item.code) != "always", item
                continue
            assert AVAILABILITY[item.code] != "none", item
            assert item.fix.message[:1].isupper()
            if item.fix.applicability is Applicability.DISPLAY:
                continue
            after = look(path, apply(text, [item]).text, settings)
            left, gone = counted(after), counted(before)
            assert left[item.code] < gone[item.code], item.fix
            assert left - gone == Counter(), (item, left - gone)


@pytest.mark.parametrize("given", TEXTS)
def test_all_fixes_together(given: Path | tuple[str, str], tmp_path: Path) -> None:
    """All fixes of a file are applied in a few rounds, and a second time there is nothing left to do."""
    for path in files_of(given, tmp_path):
        text = path.read_text(encoding="utf-8")
        settings = settings_of(text)._replace(enable=("TBR",))
        found = look(path, text, settings)
        for _ in range(10):
            usable = [i for i in found if i.fix is not None and i.fix.applicability is not Applicability.DISPLAY]
            if not usable:
                break
            text = apply(text, usable).text
            found = look(path, text, settings)
        assert not usable


def test_rules_that_declare_a_fix_have_a_page_or_fixture_that_shows_it(tmp_path: Path) -> None:
    shown = set()
    for number, param in enumerate(TEXTS):
        folder = tmp_path / str(number)
        folder.mkdir()
        for path in files_of(param.values[0], folder):  # type: ignore[arg-type]
            text = path.read_text(encoding="utf-8")
            settings = settings_of(text)._replace(enable=("TBR",))
            shown |= {i.code for i in look(path, text, settings) if i.fix is not None}
    assert shown == {code for code, declared in AVAILABILITY.items() if declared != "none"}
