"""`tensorbranch check` with ruff's options about fixes: what is written where, the words, the exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flake8_tensorbranch.cli import main

HEAD = "import torch\nfrom torch.utils.checkpoint import checkpoint\n\n\n"
BAD = HEAD + "def f(block, x):\n    return checkpoint(block, x)\n"
GOOD = BAD.replace("(block, x)\n", "(block, x, use_reentrant=False)\n")
# A finding with a fix, and one without.
MIXED = BAD + "\n\ndef g(block, x, **options):\n    return checkpoint(block, x, **{})\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of its own, under a configuration of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.tensorbranch]\n", encoding="utf-8")
    return tmp_path


def test_an_unsafe_fix_is_hinted_at_and_not_applied(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.py").write_text(BAD, encoding="utf-8")
    assert main(["check", "--fix", "--output-format", "concise", "p.py"]) == 1
    assert (folder / "p.py").read_text(encoding="utf-8") == BAD
    out = capsys.readouterr().out.splitlines()
    assert out[1:] == ["Found 1 error.", "1 unsafe fix available with `--fix --unsafe-fixes`."]
    assert main(["check", "--output-format", "concise", "--unsafe-fixes", "p.py"]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == ["Found 1 error.", "[*] 1 fixable with `--fix`."]
    assert main(["check", "--output-format", "concise", "--no-unsafe-fixes", "p.py"]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == ["Found 1 error."]


def test_fix(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.py").write_text(MIXED, encoding="utf-8")
    assert main(["check", "--fix", "--unsafe-fixes", "--output-format", "concise", "p.py"]) == 1
    assert (folder / "p.py").read_text(encoding="utf-8") == GOOD + MIXED[len(BAD) :]
    out = capsys.readouterr().out.splitlines()
    assert [out[0][:7], *out[1:]] == ["p.py:10", "Found 2 errors (1 fixed, 1 remaining)."]
    (folder / "p.py").write_text(BAD, encoding="utf-8")
    assert main(["check", "--fix", "--unsafe-fixes", "--show-fixes", "p.py"]) == 0
    assert capsys.readouterr().out == (
        "\nFixed 1 error:\n- p.py:\n    1 \u00d7 TBR506 (tbr-reentrant-implicit)\n\n"
        "Found 1 error (1 fixed, 0 remaining).\n"
    )


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--fix"], 0),
        (["--fix", "--exit-non-zero-on-fix"], 1),
        (["--fix-only"], 0),
        (["--fix-only", "--exit-non-zero-on-fix"], 1),
        (["--diff"], 1),
        (["--fix", "--diff"], 1),
        (["--fix", "--unfixable", "TBR5"], 1),
        (["--fix", "--unfixable", "TBR5", "--fixable", "TBR506"], 0),
        (["--fix", "--fixable", "TBR1"], 1),
        (["--diff", "--unfixable", "ALL"], 0),
    ],
)
def test_status(folder: Path, arguments: list[str], status: int) -> None:
    (folder / "p.py").write_text(BAD, encoding="utf-8")
    assert main(["check", "--unsafe-fixes", *arguments, "p.py"]) == status
    fixed = "--diff" not in arguments and "TBR5" not in arguments[2:3] and "TBR1" not in arguments[2:3]
    fixed = fixed or "TBR506" in arguments
    assert (folder / "p.py").read_text(encoding="utf-8") == (GOOD if fixed else BAD)


def test_fix_only_says_nothing_of_the_rest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.py").write_text(MIXED, encoding="utf-8")
    assert main(["check", "--fix-only", "p.py"]) == 0
    assert capsys.readouterr().out == "No errors fixed (1 fix available with `--unsafe-fixes`).\n"
    assert main(["check", "--fix-only", "--unsafe-fixes", "p.py"]) == 0
    assert capsys.readouterr().out == "Fixed 1 error.\n"


def test_diff_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.py").write_text(BAD, encoding="utf-8")
    (folder / "q.py").write_text(GOOD, encoding="utf-8")
    assert main(["check", "--diff", "."]) == 0
    assert capsys.readouterr().out == "No errors would be fixed (1 fix available with `--unsafe-fixes`).\n"
    assert main(["check", "--diff", "--unsafe-fixes", "."]) == 1
    out = capsys.readouterr().out
    assert out.startswith("--- p.py\n+++ p.py\n@@ -3,4 +3,4 @@\n")
    assert out.endswith("+    return checkpoint(block, x, use_reentrant=False)\n\nWould fix 1 error.\n")
    assert (folder / "p.py").read_text(encoding="utf-8") == BAD


@pytest.mark.parametrize(
    "data",
    [
        BAD.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + BAD.encode(),
        ("# coding: latin-1\n" + BAD.replace("\n\n", "\n# é\n", 1)).encode("latin-1"),
        BAD.removesuffix("\n").encode(),
        BAD.replace("\n", "\r", 1).encode(),
    ],
)
def test_bytes_beside_the_fix_stay(folder: Path, data: bytes) -> None:
    (folder / "p.py").write_bytes(data)
    assert main(["check", "--fix", "--unsafe-fixes", "p.py"]) == 0
    assert (folder / "p.py").read_bytes() == data.replace(b"(block, x)", b"(block, x, use_reentrant=False)").replace(
        b"f(block, x, use_reentrant=False)", b"f(block, x)"
    )


def test_standard_input() -> None:
    process = [sys.executable, "-m", "flake8_tensorbranch", "check", "--unsafe-fixes"]

    def run(*arguments: str, data: bytes) -> tuple[bytes, str, int]:
        done = subprocess.run([*process, *arguments, "-"], input=data, capture_output=True)
        return done.stdout, done.stderr.decode(), done.returncode

    crlf = BAD.replace("\n", "\r\n").encode()
    fixed = GOOD.replace("\n", "\r\n").encode()
    assert run("--fix", data=crlf) == (fixed, "Found 1 error (1 fixed, 0 remaining).\n", 0)
    assert run("--fix", "--exit-non-zero-on-fix", data=crlf)[2] == 1
    assert run("--fix-only", data=crlf) == (fixed, "Fixed 1 error.\n", 0)
    assert run("--fix", data=b"x = 1\n") == (b"x = 1\n", "All checks passed!\n", 0)
    assert run("--fix", data=b"")[0] == b""
    out, err, status = run("--fix", "--output-format", "concise", data=b"import torch\nx = (\n")
    assert (out, status) == (b"import torch\nx = (\n", 1)
    assert "invalid-syntax" in err
    out, err, status = run("--diff", data=BAD.encode())
    assert (out.splitlines()[0], err, status) == (b"@@ -3,4 +3,4 @@", "Would fix 1 error.\n", 1)
    out, err, status = run("--diff", "--stdin-filename", "n.py", data=BAD.encode())
    assert (out.splitlines()[0], err, status) == (b"--- n.py", "Would fix 1 error.\n", 1)


def test_configured(folder: Path) -> None:
    (folder / "p.py").write_text(BAD, encoding="utf-8")
    (folder / "pyproject.toml").write_text("[tool.tensorbranch]\nfix = true\nextend-safe-fixes = ['TBR506']\n", "utf-8")
    assert main(["check", "--no-fix", "p.py"]) == 1
    assert main(["check", "p.py"]) == 0
    assert (folder / "p.py").read_text(encoding="utf-8") == GOOD


def test_notebook(folder: Path) -> None:
    lines = BAD.splitlines(keepends=True)
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["hi"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": [*lines[:2], "%time 1"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": lines[4:]},
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "n.ipynb").write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    assert main(["check", "--fix", "--unsafe-fixes", "n.ipynb"]) == 0
    cells[2]["source"] = GOOD.splitlines(keepends=True)[4:]
    assert (folder / "n.ipynb").read_text(encoding="utf-8") == json.dumps(notebook, indent=1)


def test_a_file_that_cannot_be_written_is_reported_and_its_findings_stay(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from flake8_tensorbranch.fixes import store

    def refuse(path: str, data: bytes, before: bytes) -> None:
        raise PermissionError(13, "Permission denied", path)

    (folder / "p.py").write_text(BAD, encoding="utf-8")
    monkeypatch.setattr(store, "write", refuse)
    assert main(["check", "--fix", "--unsafe-fixes", "--output-format", "concise", "p.py"]) == 1
    captured = capsys.readouterr()
    assert "TBR506" in captured.out
    assert "p.py: not fixed: Permission denied" in captured.err


def test_a_suppressed_finding_is_not_fixed(folder: Path) -> None:
    text = BAD.replace("checkpoint(block, x)\n", "checkpoint(block, x)  # noqa: TBR506\n")
    (folder / "p.py").write_text(text, encoding="utf-8")
    assert main(["check", "--fix", "--unsafe-fixes", "p.py"]) == 0
    assert (folder / "p.py").read_text(encoding="utf-8") == text
