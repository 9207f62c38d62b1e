"""`tensorbranch reveal`: what is believed at a place, by file or standard input, and clear words for a wrong place."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from flake8_tensorbranch.cli import main
from tests.adapters.samples import BRANCH, WIDE

CHECKPOINTED = """\
import torch
from torch.utils.checkpoint import checkpoint

from sizes import width


def block(x: torch.Tensor) -> torch.Tensor:
    cap = x.abs().max()
    n = width(x)
    if cap > 1 and n > 2:
        x = x / cap
    return x


def run(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False)
"""
NUMBERED = re.compile(r"(?P<place>\d+:\d+): (?P<text>.+) -> (?P<value>.+?)(  \(runs .+\))?")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("setup.cfg").touch()
    tmp_path.joinpath("p.py").write_text(CHECKPOINTED)
    tmp_path.joinpath("sizes.py").write_text("def width(t):\n    return t.shape[-1]\n")
    return tmp_path


def revealed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, str, str]]:
    """Place, text and value of every expression printed."""
    assert main(["reveal", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    rows = [NUMBERED.fullmatch(line) for line in out.splitlines() if not line.startswith(" ")]
    return [(row["place"], row["text"], row["value"]) for row in rows if row]


def type_stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_line_shows_its_expressions_from_the_outermost(capsys: pytest.CaptureFixture[str]) -> None:
    rows = revealed(capsys, "p.py:10")
    assert rows[0] == ("10:8", "cap > 1 and n > 2", "tensor|host[shape]")
    assert ("10:8", "cap", "tensor") in rows
    assert ("10:20", "n", "host[shape]") in rows


def test_a_column_shows_what_covers_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row[1:] for row in revealed(capsys, "p.py:10:20")] == [
        ("cap > 1 and n > 2", "tensor|host[shape]"),
        ("n > 2", "host[shape]"),
        ("n", "host[shape]"),
    ]


def test_the_way_of_a_value_and_of_its_region_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reveal", "p.py:10:8"]) == 0
    out = capsys.readouterr().out
    assert "10:8: cap -> tensor  (runs checkpointed)\n    p.py:8:5: `cap` is a tensor: bound here\n" in out
    assert "    p.py:16:12: checkpointed by checkpoint(...)\n" in out


def test_options_declare_regions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reveal", "--tbr-compiled=block", "p.py:10:20"]) == 0
    assert "(runs checkpointed, compiled)" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["-:6:8", ":6:8"])
def test_standard_input_wins_over_the_disk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    type_stdin(monkeypatch, "\n" + BRANCH)
    rows = revealed(capsys, "--stdin-filename=p.py", place)
    assert rows[0] == ("6:8", "x.sum() > 0", "tensor[mask]")


def test_columns_are_characters(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    type_stdin(monkeypatch, WIDE)
    rows = revealed(capsys, "-:5:37")
    assert rows[-1] == ("5:37", "0", "host = 0")


def test_a_file_that_never_mentions_torch_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row[1] for row in revealed(capsys, "sizes.py:2")] == ["t.shape[-1]", "t.shape", "t", "-1", "1"]


def test_a_place_without_a_value_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reveal", "p.py:3"]) == 0
    assert capsys.readouterr() == ("p.py:3: no expression that a path reaches is here\n", "")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("p.py", "'p.py' is not FILE:LINE or FILE:LINE:COL"),
        ("p.py:x", "'p.py:x' is not FILE:LINE"),
        ("p.py:0", "p.py has no line 0: it has 16"),
        ("p.py:17", "p.py has no line 17: it has 16"),
        ("p.py:10:0", "p.py:10 has no column 0: the line has 25"),
        ("p.py:10:26", "p.py:10 has no column 26: the line has 25"),
        ("gone.py:1", "gone.py: No such file or directory"),
        ("bad.py:1", "bad.py: line 2: '(' was never closed"),
        ("nul.py:1", "nul.py: "),
        ("bytes.py:1", "bytes.py: invalid or missing encoding"),
    ],
)
def test_a_wrong_place_is_status_2(folder: Path, capsys: pytest.CaptureFixture[str], place: str, words: str) -> None:
    folder.joinpath("bad.py").write_text("import torch\nx = (\n")
    folder.joinpath("nul.py").write_bytes(b"import torch\nx = 1\x00\n")
    folder.joinpath("bytes.py").write_bytes(b"x = '\xff'\n")
    assert main(["reveal", place]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"tensorbranch: error: {words}")
    assert err.count("\n") == 1


def test_a_wrong_option_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reveal", "--tbr-confidence=high", "p.py:1"]) == 2
    assert "--tbr-confidence: 'high'" in capsys.readouterr().err
