"""The flake8 adapter on its own: the gate, positions, and that nothing escapes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.plugin import Plugin
from flake8_tensorbranch.settings import Settings

ROOT = Path(__file__).parents[1]

Rows = list[tuple[int, int, str]]


def run(text: str, filename: str = "p.py") -> Rows:
    lines = text.splitlines(keepends=True)
    return [row[:3] for row in Plugin(ast.parse(text), lines, filename).run()]


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., list[Diagnostic]]], None]:
    """Put a function in the place of the pipeline."""

    def put(function: Callable[..., list[Diagnostic]]) -> None:
        module = ModuleType("flake8_tensorbranch.check")
        module.check_source = function  # type: ignore[attr-defined]
        module.look_again = lambda: None  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "flake8_tensorbranch.check", module)

    return put


def test_the_pipeline_gets_what_flake8_holds(pipeline: Callable[..., None]) -> None:
    seen = []

    def check_source(source: object, settings: object, tree: object, *_: object) -> list[Diagnostic]:
        seen.append((source, settings, tree))
        return []

    pipeline(check_source)
    tree = ast.parse("import torch\n")
    assert list(Plugin(tree, ["import torch\n"], "no/such/file.py").run()) == []
    ((source, settings, given),) = seen
    assert (source.path, source.text) == ("no/such/file.py", "import torch\n")  # type: ignore[attr-defined]
    assert settings == Settings()
    assert given is tree


def test_the_gate_keeps_the_pipeline_out(pipeline: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline(lambda *_: [Diagnostic(1, 0, 1, 1, "TBR101", "found")])
    assert run("import numpy\n") == []
    monkeypatch.setattr(Plugin, "given", {"words": ("numpy",)})
    assert run("import numpy\n") == [(1, 0, "TBR101 found")]


def test_positions_are_characters_inside_the_file_in_order(pipeline: Callable[..., None]) -> None:
    found = [
        Diagnostic(99, 7, 99, 9, "TBR102", "past the end"),
        Diagnostic(2, 11, 2, 12, "TBR101", "after two bytes each"),
        Diagnostic(0, -1, 0, 0, "TBR103", "before the start"),
    ]
    pipeline(lambda *_: found)
    assert run('import torch\né = "ü"; bad()\n') == [
        (1, 0, "TBR103 before the start"),
        (2, 9, "TBR101 after two bytes each"),
        (2, 14, "TBR102 past the end"),
    ]


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("two\nlines\x00"), "ValueError: two lines"),
        (RecursionError("too deep"), "RecursionError: too deep"),
        (MemoryError(), "MemoryError"),
        (SyntaxError("bad"), "SyntaxError: bad"),
        (KeyError("x"), "KeyError: 'x'"),
        (Unprintable(), "Unprintable"),
        (ValueError("x" * 500), "ValueError: " + "x" * 57 + "..."),
    ],
)
def test_a_failure_becomes_one_diagnostic(
    pipeline: Callable[..., None], capfd: pytest.CaptureFixture[str], error: Exception, reason: str
) -> None:
    def check_source(*_: object) -> list[Diagnostic]:
        raise error

    pipeline(check_source)
    ((line, column, text),) = run("import torch\n")
    assert (line, column) == (1, 0)
    assert text.startswith(f"TBR000 analysis of this file failed ({reason}")
    assert text.endswith("; please report it")
    assert text.isprintable()
    assert len(text) < 160
    assert capfd.readouterr() == ("", "")


def test_unbounded_recursion_in_the_pipeline_is_caught(pipeline: Callable[..., None]) -> None:
    # No *args here: Python 3.13.0 does not count such calls against the recursion limit.
    def check_source(source: object, settings: object, tree: object, project: object, rest: object) -> list[Diagnostic]:
        return check_source(source, settings, tree, project, rest)

    pipeline(check_source)
    assert [text[:6] for _, _, text in run("import torch\n")] == ["TBR000"]


def test_a_malformed_finding_is_a_failure_too(pipeline: Callable[..., None]) -> None:
    pipeline(lambda *_: [Diagnostic(None, 0, 1, 1, "TBR101", "no line")])  # type: ignore[arg-type]
    assert [text[:6] for _, _, text in run("import torch\n")] == ["TBR000"]


def test_an_interrupt_passes(pipeline: Callable[..., None]) -> None:
    def check_source(*_: object) -> list[Diagnostic]:
        raise KeyboardInterrupt

    pipeline(check_source)
    with pytest.raises(KeyboardInterrupt):
        run("import torch\n")


GATED = """
import ast, sys
before = set(sys.modules)
from flake8_tensorbranch.plugin import Plugin
assert not list(Plugin(ast.parse("import os"), ["import os"], "p.py").run())
print(*sorted(set(sys.modules) - before))
"""


def test_a_file_without_torch_imports_nothing_heavy() -> None:
    environment = dict(os.environ)
    if sys.version_info < (3, 11):  # what reads TOML is then a package, which `-S` hides
        environment["PYTHONPATH"] = str(Path(import_module("tomli").__path__[0]).parent)
    command = [sys.executable, "-S", "-c", GATED]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    imported = done.stdout.split()
    ours = {name for name in imported if name.startswith("flake8_tensorbranch")}
    assert ours == {
        "flake8_tensorbranch",
        "flake8_tensorbranch.config",
        "flake8_tensorbranch.config.analysis",
        "flake8_tensorbranch.config.files",
        "flake8_tensorbranch.config.keys",
        "flake8_tensorbranch.diagnostic",
        "flake8_tensorbranch.disk",
        "flake8_tensorbranch.gate",
        "flake8_tensorbranch.importers",
        "flake8_tensorbranch.modules",
        "flake8_tensorbranch.plugin",
        "flake8_tensorbranch.reach",
        "flake8_tensorbranch.settings",
        "flake8_tensorbranch.source",
    }
    assert not {"astroid", "torch", "dataclasses", "flake8", "json", "logging"} & set(imported)
