"""The primer compares two versions of the plugin over one folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.trees import put
from tools import primer

BRANCH = """\
import torch


def scale(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        x = x * 2
    return x
"""
LOOP = BRANCH.replace("if x", "while x")
# A version is its command line alone: each prints what its table says of a word in the file.
VERSION = """\
import json, os, sys
from pathlib import Path
WORDS = {words!r}
def main(arguments):
    assert arguments[:2] == ["check", "--output-format=json"], arguments
    found = []
    for path in sorted(Path(arguments[-1]).rglob("*.py")):
        for row, text in enumerate(path.read_text().splitlines(), 1):
            found += [
                dict(filename=os.path.abspath(path), location=dict(row=row, column=5), code=code, message=said)
                for word, code, said in WORDS if word in text
            ]
    print(json.dumps(found))
    return 1 if found else 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "libraries"
    put(
        folder,
        {
            "one/__init__.py": BRANCH,
            "one/sub/loop.py": LOOP,
            "two/__init__.py": BRANCH,
            "one-1.0.dist-info/setup.py": BRANCH,
        },
    )
    return folder


def fake(top: Path, *words: tuple[str, str, str]) -> str:
    package = top / primer.PACKAGE
    package.mkdir(parents=True)
    package.joinpath("__init__.py").touch()
    package.joinpath("cli.py").write_text(VERSION.format(words=words))
    return str(top)


def test_what_came_went_and_is_worded_anew(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = fake(tmp_path / "base", ("if x", "TBR101", "a branch"), ("return", "TBR103", "a result"))
    head = fake(tmp_path / "head", ("if x", "TBR101", "a test"), ("while", "TBR102", "a loop"))
    assert primer.main([str(folder), "--base", base, "--head", head, "-j2"]) == 1
    first = capsys.readouterr().out
    assert (
        first
        == """\
package              code       base   head     +     -     ~
one                  TBR101        1      1     0     0     1
one                  TBR102        0      1     1     0     0
one                  TBR103        2      0     0     2     0
two                  TBR101        1      1     0     0     1
two                  TBR103        1      0     0     1     0
all                                5      3     1     3     2

~ one/__init__.py:5:5 TBR101 a test
      if x.sum() > 0:

- one/__init__.py:7:5 TBR103 a result
      return x

+ one/sub/loop.py:5:5 TBR102 a loop
      while x.sum() > 0:

- one/sub/loop.py:7:5 TBR103 a result
      return x

~ two/__init__.py:5:5 TBR101 a test
      if x.sum() > 0:

- two/__init__.py:7:5 TBR103 a result
      return x
"""
    )
    assert primer.main([str(folder), "--base", base, "--head", head]) == 1
    assert capsys.readouterr().out == first


def test_a_version_against_itself_is_no_difference(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        primer.main([str(folder), "--base", str(primer.ROOT), "--head", str(primer.ROOT), "--", "--select=TBR1"]) == 0
    )
    head, total = capsys.readouterr().out.splitlines()
    assert head.split() == ["package", "code", "base", "head", "+", "-", "~"]
    assert total.split() == ["all", "3", "3", "0", "0", "0"]


def test_a_revision_is_checked_out_and_put_away(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = tmp_path / "repository"
    fake(repository, ("if x", "TBR101", "a branch"))

    def run(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=repository, check=True, capture_output=True)

    run("init", "-q")
    run("add", ".")
    run("commit", "-qm", "old")
    shutil.rmtree(repository / primer.PACKAGE)
    fake(repository, ("while", "TBR102", "a loop"))
    monkeypatch.setattr(primer, "ROOT", repository)
    assert primer.main([str(folder), "--base", "HEAD", "--head", str(repository)]) == 1
    assert capsys.readouterr().out.splitlines()[-1].strip() == "if x.sum() > 0:"
    assert len(primer.git("worktree", "list").stdout.splitlines()) == 1
    with pytest.raises(SystemExit, match="'no-such' is neither"):
        primer.main([str(folder), "--base", "no-such"])


def test_a_version_that_fails_ends_the_run(tmp_path: Path, folder: Path) -> None:
    base = fake(tmp_path / "base")
    (tmp_path / "base" / primer.PACKAGE / "cli.py").write_text("raise RuntimeError('broken')\n")
    with pytest.raises(SystemExit, match=r"fails on one:\n(?s:.*)broken"):
        primer.main([str(folder), "--base", base, "--head", base])
