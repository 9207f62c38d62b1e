"""What a file asks of other files is bounded, and the one bound takes nothing from the other."""

from __future__ import annotations

from pathlib import Path

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.trees import put_project

LIBRARY = """
import functools

import torch


def logged(fn):
    @functools.wraps(fn)
    def inner(x):
        if x.sum() > 0:
            return fn(x)
        return x

    return inner


def helper(x):
    if x.sum() > 0:
        return x
    return -x
"""
MANY = 120


def test_wrappers_of_other_files_leave_room_for_helpers(tmp_path: Path) -> None:
    steps = [f"@logged\ndef f{i}(x):\n    return x + {i}\n" for i in range(MANY)]
    runs = "".join(f"    x = f{i}(x)\n" for i in range(MANY))
    head = "import torch\nfrom tbr_library import helper, logged\n"
    text = f"{head}{''.join(steps)}@torch.compile\ndef step(x):\n{runs}    return helper(x)\n"
    put_project(tmp_path, {"tbr_library.py": LIBRARY, "main.py": text})
    found = check_source(SourceFile(str(tmp_path / "main.py"), text), Settings(), None, Project())
    lines = [item.line for item in found if item.code == "TBR304"]
    assert max(lines) == len(text.splitlines()), "the helper"
    assert lines[:-1] == [3 + 3 * i for i in range(MANY)], "the wrapper, at each of its decorators"
