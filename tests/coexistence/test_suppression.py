"""Suppressions beside the real ruff and the real flake8; each test is named after the statement that it holds."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from flake8_tensorbranch.source import SourceFile
from tests.coexistence import tools
from tests.coexistence.samples import COMMENTS, LINE, MALFORMED, OWN_LINE, PLACES, placed
from tests.complaints import everything
from tests.markers import settings_of

OTHER = "ABC101"
NEW_STRINGS = sys.version_info >= (3, 12)
SAFE = re.compile(r"# noqa: [A-Z]+[0-9]+(?:, [A-Z]+[0-9]+)*(?![\w,.:;])")


class Sample(NamedTuple):
    """A text with `@` for the code, and whether flake8 (with us) and ruff suppress that code in it."""

    text: str
    flake8: bool
    ruff: bool


def samples() -> Iterator[tuple[str, Sample]]:
    for number, row in enumerate([*COMMENTS, *MALFORMED]):
        yield f"line{number}", Sample(LINE.format(row.text), row.flake8, row.ruff)
    for number, row in enumerate(OWN_LINE):
        yield f"own{number}", Sample(f"{row.text}\n{LINE.format('')}", row.flake8, row.ruff)
    for number, place in enumerate(PLACES.values()):
        flake8 = place.new_flake8 if NEW_STRINGS and place.new_flake8 is not None else place.flake8
        yield f"place{number}", Sample(placed(place.text), flake8, place.ruff)


SAMPLES = dict(samples())


class Verdicts(NamedTuple):
    """Which files of a folder have the finding, by who was asked."""

    ruff: set[str]
    ruff_other: set[str]
    flake8: set[str]
    flake8_other: set[str]
    command: set[str]
    command_other: set[str]
    shown: set[str]
    shown_by_command: set[str]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    """Every sample with the code that is found in it, and with one that is not: blanket comments do not care."""
    folders = {}
    for name, code in (("ruff", "F821"), ("ours", "TBR101"), ("other", OTHER)):
        folders[name] = tmp_path_factory.mktemp(name)
        tools.put(folders[name], {f"{key}.py": sample.text.replace("@", code) for key, sample in SAMPLES.items()})

    def files(found: tools.Found, code: str) -> set[str]:
        return {name.removesuffix(".py") for name, items in found.items() if any(item[2] == code for item in items)}

    return Verdicts(
        files(tools.ruff_finds(folders["ruff"], "--select=F821"), "F821"),
        files(tools.ruff_finds(folders["other"], "--select=F821"), "F821"),
        files(tools.flake8_finds(folders["ours"], "--select=TBR"), "TBR101"),
        files(tools.flake8_finds(folders["other"], "--select=TBR"), "TBR101"),
        files(tools.command_finds(folders["ours"]), "TBR101"),
        files(tools.command_finds(folders["other"]), "TBR101"),
        files(tools.flake8_finds(folders["ours"], "--select=TBR", "--disable-noqa"), "TBR101"),
        files(tools.command_finds(folders["ours"], "--ignore-noqa"), "TBR101"),
    )


def test_06_a_coded_noqa_silences_exactly_its_code(tmp_path: Path) -> None:
    tools.put(
        tmp_path,
        {
            "exact.py": LINE.format("# noqa: TBR101"),
            "other.py": LINE.format("# noqa: E501"),
            "prefix.py": LINE.format("# noqa: TBR1"),
        },
    )
    flake8 = tools.flake8_finds(tmp_path, "--select=TBR")
    assert {name: {code for _, _, code in items} for name, items in flake8.items()} == {"other.py": {"TBR101"}}
    command = tools.command_finds(tmp_path)
    assert {name: {code for _, _, code in items} for name, items in command.items()} == {
        "other.py": {"TBR101"},
        "prefix.py": {"TBR101", "TBR002"},
    }


@pytest.mark.parametrize("key", SAMPLES)
def test_07_and_08_flake8_reads_every_row_as_documented(key: str, verdicts: Verdicts) -> None:
    assert (key not in verdicts.flake8) == SAMPLES[key].flake8


def test_07_the_ten_good_spellings_work_in_both_tools() -> None:
    good = [row for row in COMMENTS if re.match(r"# noqa: ?(E501[, ] ?)?@(,| |$)", row.text)]
    assert len(good) >= 10
    assert all(row.flake8 and row.ruff for row in good)


def test_09_disabling_noqa_shows_everything(verdicts: Verdicts) -> None:
    assert verdicts.shown == SAMPLES.keys()
    assert verdicts.shown_by_command == SAMPLES.keys()


def test_10_only_the_safe_spelling_is_shown() -> None:
    root = tools.ROOT
    texts = [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").glob("*.md"))]
    texts += sorted((root / "flake8_tensorbranch" / "docs").glob("*.md"))
    texts += [*sorted((root / "examples").rglob("*.py")), *sorted((root / "tests" / "rules").rglob("*.py"))]
    for path in texts:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"#\s*flake8[:=]\s*noqa", text), path
        shown = re.findall(r"#\s*noqa.*", text, re.IGNORECASE)
        assert [found for found in shown if not SAFE.match(found)] == [], path


def test_10_messages_hold_no_suppression() -> None:
    for name in ("tbr001.py", "tbr002.py"):
        path = tools.ROOT / "tests" / "rules" / name
        source = SourceFile(str(path), path.read_text(encoding="utf-8"))
        found = everything(source, settings_of(source.text))
        assert found
        assert not [item.message for item in found if "noqa" in item.message or "#" in item.message]
    rules = (tools.ROOT / "flake8_tensorbranch" / "rules").glob("*.py")
    assert not [path.name for path in rules if "noqa" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("key", SAMPLES)
def test_11_our_verdict_is_that_of_ruff(key: str, verdicts: Verdicts) -> None:
    assert (key not in verdicts.ruff) == SAMPLES[key].ruff
    assert (key in verdicts.command) == (key in verdicts.ruff)
    assert (key in verdicts.command_other) == (key in verdicts.ruff_other)
    text = SAMPLES[key].text
    if "ruff" in text and "flake8" not in text:
        assert (key in verdicts.flake8) == (key in verdicts.ruff)
        assert (key in verdicts.flake8_other) == (key in verdicts.ruff_other)


def test_12_malformed_comments_suppress_nothing(verdicts: Verdicts) -> None:
    malformed = {key for key, sample in SAMPLES.items() if sample.text in {LINE.format(row.text) for row in MALFORMED}}
    assert len(malformed) == len(MALFORMED)
    for shown in (verdicts.flake8, verdicts.command, verdicts.ruff):
        assert malformed <= shown


MIXED = """\
import torch

x = torch.ones(1)  # noqa: F401, TBR101, E501, TBR201 why  # nosec
x = torch.ones(1)  # noqa: TBR101  # type: ignore
x = torch.ones(1)  # type: ignore # noqa: TBR101
x = torch.ones(1)  # noqa: TBR101 why
x = torch.ones(1)  # ruff: ignore[E501, TBR101] why
x = torch.ones(1)  # noqa: E501, F401
# ruff: disable[TBR101, E501]
x = torch.ones(1)
# ruff: enable[TBR101, E501]
# ruff: disable[TBR101]
x = torch.ones(1)
# ruff: enable[TBR101]
x = torch.ones(1)  # noqa: TBR101
"""
MIXED_FIXED = """\
import torch

x = torch.ones(1)  # noqa: F401, E501 why  # nosec
x = torch.ones(1)  # type: ignore
x = torch.ones(1)  # type: ignore
x = torch.ones(1)  # why
x = torch.ones(1)  # ruff: ignore[E501] why
x = torch.ones(1)  # noqa: E501, F401
# ruff: disable[E501]
x = torch.ones(1)
# ruff: enable[E501]
x = torch.ones(1)
x = torch.ones(1)
"""


def test_13_other_tools_codes_are_neither_named_nor_edited(tmp_path: Path) -> None:
    tools.put(tmp_path, {"mixed.py": MIXED})
    reported = tools.run("flake8_tensorbranch", "check", "--isolated", "--output-format=concise", ".", cwd=tmp_path)
    assert reported.count("TBR001") == 8
    assert not re.search(r"E501|F401", reported)
    reported = tools.run("flake8", "--isolated", "--select=TBR", ".", cwd=tmp_path)
    assert reported.count("TBR001") == 8
    assert not re.search(r"E501|F401", reported)
    tools.run("flake8_tensorbranch", "check", "--isolated", "-q", "--fix", ".", cwd=tmp_path, status=(0,))
    assert tmp_path.joinpath("mixed.py").read_text(encoding="utf-8") == MIXED_FIXED


BARE = """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        x = x * 2
    if x.sum() > 0:  # noqa: ABC102, ABC101 a reason  # nosec
        x = x * 2
    if x.sum() > 0: # type: ignore
        x = x * 2
    if x.sum() > 0:  # noqa:ABC101
        x = x * 2
    x, s = x if x.sum() > 0 else -x, '''
text'''
    if x.sum() > 0 and \\
            x.ndim:
        x = x * 2
    while x.sum() > 0: x = x - 1 if x.max() > 0 else x
    return x
"""
ADDED = """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:  # noqa: TBR101 later
        x = x * 2
    if x.sum() > 0:  # noqa: ABC101, ABC102, TBR101 a reason  # nosec
        x = x * 2
    if x.sum() > 0:  # type: ignore  # noqa: TBR101 later
        x = x * 2
    if x.sum() > 0:  # noqa: ABC101, TBR101 later
        x = x * 2
    x, s = x if x.sum() > 0 else -x, '''
text'''  # noqa: TBR101 later
    if x.sum() > 0 and \\
            x.ndim:  # noqa: TBR101 later
        x = x * 2
    while x.sum() > 0: x = x - 1 if x.max() > 0 else x  # noqa: TBR101, TBR102 later
    return x
"""


def test_14_and_15_add_noqa_merges_and_is_stable(tmp_path: Path) -> None:
    variants = {"plain.py": BARE, "windows.py": BARE.replace("\n", "\r\n"), "bom.py": "\ufeff" + BARE}
    tools.put(tmp_path, variants)
    command = ("flake8_tensorbranch", "check", "--isolated", "-q", "--add-noqa=later", ".")
    for _ in range(2):
        tools.run(*command, cwd=tmp_path, status=(0,))
        for name, text in variants.items():
            expected = text.replace(BARE, ADDED).replace(BARE.replace("\n", "\r\n"), ADDED.replace("\n", "\r\n"))
            assert tmp_path.joinpath(name).read_bytes() == expected.encode()
    assert tools.command_finds(tmp_path) == {}
    assert tools.flake8_finds(tmp_path, "--select=TBR") == {}
    tools.ruff(tmp_path, "--fix", "--select=RUF100,RUF102", "--config=lint.external=['TBR', 'ABC']", ".")
    assert tmp_path.joinpath("plain.py").read_text(encoding="utf-8") == ADDED


def test_14_add_noqa_leaves_what_it_cannot_read(tmp_path: Path) -> None:
    text = LINE.format("# noqa: some-name")
    tools.put(tmp_path, {"malformed.py": text})
    command = ("flake8_tensorbranch", "check", "--isolated", "-q", "--add-noqa", ".")
    tools.run(*command, cwd=tmp_path, status=(0,))
    assert tmp_path.joinpath("malformed.py").read_text(encoding="utf-8") == text


def test_14_add_noqa_writes_into_notebooks(tmp_path: Path) -> None:
    cells = ["%matplotlib inline\n", LINE.format("").replace("  \n", "\n"), "print(1)\n"]
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {
        "cells": [{**code, "source": cell} for cell in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    tools.put(tmp_path, {"n.ipynb": json.dumps(notebook)})
    for _ in range(2):
        tools.run("flake8_tensorbranch", "check", "--isolated", "-q", "--add-noqa", ".", cwd=tmp_path, status=(0,))
        read = json.loads(tmp_path.joinpath("n.ipynb").read_text(encoding="utf-8"))
        assert [cell["source"] for cell in read["cells"]] == [
            cells[0],
            LINE.format("# noqa: TBR101"),
            cells[2],
        ]
    assert tools.command_finds(tmp_path) == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--add-noqa=E501", "."],
        ["--add-noqa=a # b", "."],
        ["--add-noqa", "--fix", "."],
        ["--add-noqa", "--watch", "."],
        ["--add-noqa", "-"],
    ],
)
def test_14_add_noqa_refuses_what_it_cannot_do(arguments: list[str], tmp_path: Path) -> None:
    assert tools.run("flake8_tensorbranch", "check", *arguments, cwd=tmp_path, status=(2,)) == ""


def test_16_and_17_ruff_keeps_our_codes(tmp_path: Path) -> None:
    tools.put(tmp_path, {"sole.py": "x = 1  # noqa: TBR101\n", "mixed.py": "x = 1  # noqa: TBR101, E501 why\n"})
    tools.ruff(tmp_path, "--fix", "--select=RUF100", *tools.EXTERNAL, ".")
    assert tmp_path.joinpath("sole.py").read_text(encoding="utf-8") == "x = 1  # noqa: TBR101\n"
    assert tmp_path.joinpath("mixed.py").read_text(encoding="utf-8") == "x = 1  # noqa: TBR101 why\n"


def test_18_ruff_has_nothing_to_say_about_our_comments(tmp_path: Path) -> None:
    comments = {
        "noqa.py": "x = 1  # noqa: TBR101\n",
        "ignore.py": "x = 1  # ruff: ignore[TBR101]\n",
        "name.py": "x = 1  # ruff: ignore[tbr-branch-on-value]\n",
        "file.py": "# ruff: file-ignore[TBR101]\nx = 1\n",
        "range.py": "# ruff: disable[TBR101]\nx = 1\n# ruff: enable[TBR101]\n",
        "whole.py": "# ruff: noqa: TBR101\nx = 1\n",
    }
    tools.put(tmp_path, comments)
    every = "--select=RUF100,RUF101,RUF102,RUF103,RUF104,RUF105,RUF106"
    assert tools.ruff_finds(tmp_path, "--preview", every, *tools.EXTERNAL) == {}
    tools.ruff(tmp_path, "--preview", "--fix", every, *tools.EXTERNAL, ".")
    assert {name: tmp_path.joinpath(name).read_text(encoding="utf-8") for name in comments} == comments


def test_23_ruff_changes_no_verdict(tmp_path: Path) -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in (tools.ROOT / "examples").glob("*.py")}
    for name in ("tbr001.py", "tbr002.py", "tbr101.py", "tbr201.py", "tbr301.py"):
        path = tools.ROOT / "tests" / "rules" / name
        texts[name] = path.read_text(encoding="utf-8")
    # Where a statement holds a string of several lines, the formatter breaks it elsewhere and takes its comment along.
    for key, place in enumerate(PLACES.values()):
        if "s = " not in place.text:
            texts[f"{key}.py"] = placed(place.text).replace("@", "TBR101")
    texts = {f"m_{name}": text for name, text in texts.items()}
    tools.put(tmp_path, texts)
    before = tools.command_finds(tmp_path)
    tools.ruff(tmp_path, "--fix", *tools.EXTERNAL, "--line-length=120", ".")
    tools.run("ruff", "format", "--isolated", "--no-cache", "-q", "--line-length=120", ".", cwd=tmp_path)
    assert any(tmp_path.joinpath(name).read_text(encoding="utf-8") != text for name, text in texts.items())
    assert _codes(tools.command_finds(tmp_path)) == _codes(before)


def _codes(found: tools.Found) -> dict[str, Counter[str]]:
    return {name: Counter(code for _, _, code in items) for name, items in found.items()}


def test_24_our_suppressions_survive_ruffs_add_noqa(tmp_path: Path) -> None:
    tools.put(
        tmp_path,
        {
            "noqa.py": LINE.format("# noqa: TBR101 why"),
            "ignore.py": LINE.format("# ruff: ignore[TBR101]"),
            "file.py": "# ruff: file-ignore[TBR101]\n" + LINE.format(""),
        },
    )
    tools.ruff(tmp_path, "--select=F821", "--add-noqa", ".")
    assert "F821" in tmp_path.joinpath("noqa.py").read_text(encoding="utf-8")
    assert tools.flake8_finds(tmp_path, "--select=TBR,F821") == {}
    assert tools.command_finds(tmp_path) == {}
