"""The diff is that of ruff, byte for byte, and patching with it gives the fixed text."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flake8_tensorbranch.fixes.diff import diff
from flake8_tensorbranch.source import Cell

# Each begins with an import that ruff's F401 takes out.
TEXTS = [
    "import os\nx = 1\n",
    "import os\n",
    "x = 1\nimport os\ny = 2",
    "import os",
    "x = 1\r\nimport os\r\ny = 2\r\n",
    "\n".join(["a = 1"] * 9) + "\nimport os\n" + "\n".join(["b = 2"] * 9) + "\nimport sys\nc = 3\n",
    "a = 1\nb = '\x0c'\nimport os\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_as_ruff(text: str, tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_bytes(text.encode())
    process = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F401"]
    shown = subprocess.run([*process, "--diff", "p.py"], cwd=tmp_path, capture_output=True).stdout.decode()
    subprocess.run([*process, "--fix", "-q", "p.py"], cwd=tmp_path, check=True)
    ours = "".join(f"{line}\n" for line in diff(text, path.read_bytes().decode(), "p.py"))
    assert shown.partition("\n\nWould fix")[0] == ours.removesuffix("\n")


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs the program `patch`")
@pytest.mark.parametrize("text", [text for text in TEXTS if "\r" not in text])
def test_patching_with_it_gives_the_text_after(text: str, tmp_path: Path) -> None:
    after = text.replace("import os", "import re\nimport io")
    (tmp_path / "p.py").write_bytes(text.encode())
    shown = "".join(f"{line}\n" for line in diff(text, after, "p.py"))
    subprocess.run(["patch", "-s", "p.py"], input=shown.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "p.py").read_bytes().decode() == after


def test_cells_are_parts_of_their_own() -> None:
    before = (Cell(2, 1), Cell(3, 3), Cell(5, 4))
    after = (Cell(2, 1), Cell(3, 2), Cell(5, 3))
    lines = list(diff("import os\nx\nsame\nz\n", "x\nsame\nw\n", "n.ipynb", before, after))
    assert lines == [
        "--- n.ipynb:cell 2",
        "+++ n.ipynb:cell 2",
        "@@ -1,2 +1 @@",
        "-import os",
        " x",
        "--- n.ipynb:cell 5",
        "+++ n.ipynb:cell 5",
        "@@ -1 +1 @@",
        "-z",
        "+w",
    ]


def test_standard_input_has_no_head_and_equal_texts_no_diff() -> None:
    assert list(diff("a\n", "b\n", "")) == ["@@ -1 +1 @@", "-a", "+b"]
    assert list(diff("a\n", "a\n", "p.py")) == []
