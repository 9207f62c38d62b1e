"""A code is one thing everywhere: rule file, page, fixture, oracle test, changelog and README."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from flake8_tensorbranch.pages import Page, pages, parse
from flake8_tensorbranch.rules import Loaded, load

ROOT = Path(__file__).parents[2]
RULES = {
    f"TBR{path.name[3:6]}": path for path in (ROOT / "flake8_tensorbranch" / "rules").glob("tbr[0-9][0-9][0-9]_*.py")
}
# The codes of the tool itself have a page and no rule; of its own comments it speaks in fixtures, as rules do.
COMMENTS = {"TBR001", "TBR002"}
TOOL = {"TBR000", *COMMENTS}
PAGES = pages()
NOQA = re.compile(r"#\s*noqa.*", re.IGNORECASE)
SAFE_NOQA = re.compile(r"# noqa: [A-Z]+[0-9]+(, [A-Z]+[0-9]+)*(?![\w,.:;])")


def test_every_page_is_of_a_rule() -> None:
    assert PAGES.keys() == RULES.keys() | TOOL


@pytest.mark.parametrize("code", RULES)
def test_rule_file_is_named_as_its_page(code: str) -> None:
    words = RULES[code].stem.partition("_")[2].replace("_", "-")
    assert PAGES[code].name == f"tbr-{words}"


@pytest.mark.parametrize("loaded", load(), ids=lambda loaded: loaded.code)
def test_a_rule_says_what_its_page_says(loaded: Loaded) -> None:
    page = PAGES[loaded.code]
    assert (loaded.rule.name, loaded.rule.level) == (page.name, page.rule_class[0])
    assert loaded.rule.opt_in <= page.rule_class.startswith("I")
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", loaded.rule.since)


@pytest.mark.parametrize("code", RULES)
def test_rule_has_a_fixture_and_an_oracle_test(code: str) -> None:
    name = code.lower()
    assert list((ROOT / "tests" / "rules").glob(f"{name}*"))
    assert (ROOT / "tests" / "oracle" / f"test_{name}.py").is_file()


def test_fixtures_and_oracle_tests_are_of_a_rule() -> None:
    fixtures = {path.name[:6].upper() for path in (ROOT / "tests" / "rules").glob("tbr*")}
    oracles = {path.stem.removeprefix("test_").upper() for path in (ROOT / "tests" / "oracle").glob("test_tbr*.py")}
    assert fixtures == RULES.keys() | COMMENTS
    assert oracles == RULES.keys()


def test_changelog_names_every_code_once() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    named = Counter(re.findall(r"^- (TBR\d{3}) ", text, re.MULTILINE))
    assert set(named.values()) == {1}
    assert named.keys() == PAGES.keys()
    for code, page in PAGES.items():
        opt_in = " (opt-in)" if page.rule_class.startswith("I") else ""
        assert f"- {code} {page.name.removeprefix('tbr-')}{opt_in}\n" in text


def test_readme_lists_every_code() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(TBR\d{3})\]\(flake8_tensorbranch/docs/(TBR\d{3})\.md\) \| (\S+) \|", text, re.MULTILINE)
    assert rows == [(code, code, page.name.removeprefix("tbr-")) for code, page in PAGES.items()]


def test_names_are_unique() -> None:
    assert len({page.name for page in PAGES.values()}) == len(PAGES)


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.code)
def test_opt_in_pages_say_how_to_enable(page: Page) -> None:
    opt_in = page.rule_class.startswith("I")
    assert not opt_in or f"opt-in: `--tbr-enable={page.code}`" in page.rule_class
    assert page.summary


@pytest.mark.parametrize(
    "text", ["", "# TBR101 branch\n\nClass: W\n", "# TBR102 tbr-x\n\nClass: W\n", "# TBR101 tbr-x\n"]
)
def test_a_malformed_page_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="TBR101"):
        parse("TBR101", text)


@pytest.mark.parametrize(
    "path",
    [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "flake8_tensorbranch" / "docs").glob("*.md")),
        *sorted((ROOT / "examples").rglob("*.py")),
    ],
    ids=lambda path: path.name,
)
def test_suppressions_are_shown_in_the_spelling_that_is_safe_beside_ruff(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"#\s*flake8[:=]\s*noqa", text)
    assert [shown for shown in NOQA.findall(text) if not SAFE_NOQA.match(shown)] == []
