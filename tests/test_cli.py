"""The `tensorbranch` command in this process, on a pipeline of the test's own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from flake8_tensorbranch import __version__
from flake8_tensorbranch.cli import main
from flake8_tensorbranch.config.resolver import Resolver
from flake8_tensorbranch.diagnostic import Diagnostic, Related
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.walk import Walk

TEXT = 'import torch\n\ndef f(x):\n\té = "ü"; assert x\n\n\n# end\n'


@pytest.fixture(autouse=True)
def pipeline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Callable[..., list[Diagnostic]]], None]:
    """In an empty folder; by default every `assert` is TBR101 and every file's first line TBR201."""

    def put(function: Callable[..., list[Diagnostic]]) -> None:
        module = ModuleType("flake8_tensorbranch.check")
        module.check_source = function  # type: ignore[attr-defined]
        module.look_again = lambda: None  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "flake8_tensorbranch.check", module)

    def asserts(source: SourceFile, settings: Settings, *_: object) -> list[Diagnostic]:
        found = [Diagnostic(1, 0, 1, 6, "TBR201", "first line")]
        for number, line in enumerate(source.lines, 1):
            column = line.encode().find(b"assert")
            if column >= 0:
                related = (Related(source.path, 3, 6, "a parameter"), Related("gone.py", 7, 2, "elsewhere"))
                found.append(
                    Diagnostic(
                        number, column, number, column + 8, "TBR101", "an assert", related=related, help="do not"
                    )
                )
        return [item for item in found if item.code != "TBR201" or settings.is_enabled("TBR201", opt_in=True)]

    put(asserts)
    monkeypatch.chdir(tmp_path)
    return put


def test_full_shows_source_notes_and_help(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.joinpath("p.py").write_text(TEXT, encoding="utf-8")
    assert main(["check", "p.py"]) == 1
    assert capsys.readouterr() == (
        """\
TBR101 an assert
 --> p.py:4:11
  |
3 | def f(x):
4 |     é = "ü"; assert x
  |              ^^^^^^^^
note: a parameter
 --> p.py:3:7
  |
3 | def f(x):
  |       ^
note: elsewhere
--> gone.py:7:3
help: do not

Found 1 error.
""",
        "",
    )


def test_a_range_over_several_lines_is_marked_at_its_side(
    pipeline: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline(lambda *_: [Diagnostic(2, 4, 3, 1, "TBR101", "long")])
    tmp_path.joinpath("p.py").write_text("import torch\nx = (1,\n2)\n")
    main(["check"])
    frame = "1 |   import torch\n2 |   x = (1,\n  |  _____^\n3 | | 2)\n  | |_^\n\n"
    assert frame in capsys.readouterr().out


def test_json_has_the_keys_of_ruff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.joinpath("p.py").write_text(TEXT, encoding="utf-8")
    tmp_path.joinpath("q.py").write_text("import torch\nx = (\n")
    assert main(["check", "--output-format=json"]) == 1
    ours, syntax = json.loads(capsys.readouterr().out)
    assert ours == {
        "cell": None,
        "code": "TBR101",
        "end_location": {"column": 19, "row": 4},
        "filename": str(tmp_path / "p.py"),
        "fix": None,
        "location": {"column": 11, "row": 4},
        "message": "an assert",
        "name": "tbr-branch-on-value",
        "noqa_row": 4,
        "severity": "error",
        "url": None,
    }
    assert list(ours) == sorted(ours)
    assert (syntax["code"], syntax["name"], syntax["noqa_row"]) == ("invalid-syntax", "invalid-syntax", None)
    assert (syntax["location"], syntax["end_location"]) == ({"column": 5, "row": 2}, {"column": 6, "row": 2})


def test_a_faulty_file_does_not_stop_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.joinpath("a.py").write_text("import torch\nx = )\n")
    tmp_path.joinpath("b.py").write_bytes(b"import torch\n\xff\n")
    tmp_path.joinpath("c.py").write_text("import torch\n\x00\n")
    tmp_path.joinpath("d.py").write_text("x = )  # not about our subject, so not even parsed\n")
    tmp_path.joinpath("e.py").write_text("import torch\nassert x\n")
    assert main(["check", "a.py", "missing.py", "b.py", "c.py", "d.py", "e.py", "--output-format=concise"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert [line.split(" ")[:2] for line in out.splitlines()] == [
        ["a.py:2:5:", "invalid-syntax:"],
        ["b.py:1:1:", "invalid-syntax:"],
        ["c.py:1:1:", "invalid-syntax:"],
        ["e.py:2:1:", "TBR101"],
        ["missing.py:1:1:", "io-error:"],
        ["Found", "5"],
    ]


def test_a_failing_analysis_is_reported_for_its_file(
    pipeline: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails_on_a(source: SourceFile, *_: object) -> list[Diagnostic]:
        if source.path == "a.py":
            raise RecursionError("too deep")
        return [Diagnostic(1, 0, 1, 1, "TBR101", "found")]

    pipeline(fails_on_a)
    for name in ("a.py", "b.py"):
        tmp_path.joinpath(name).write_text("import torch\n")
    assert main(["check", "--output-format=concise"]) == 1
    assert capsys.readouterr().out == (
        "a.py:1:1: TBR000 analysis of this file failed (RecursionError: too deep); please report it\n"
        "b.py:1:1: TBR101 found\n"
        "Found 2 errors.\n"
    )


def test_statistics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.joinpath("p.py").write_text("import torch\nassert x\nassert y\n")
    tmp_path.joinpath("q.py").write_text("import torch\nx = )\n")
    assert main(["check", "--statistics"]) == 1
    assert capsys.readouterr().out == ("2\tTBR101\ttbr-branch-on-value\n1\t      \tinvalid-syntax\nFound 3 errors.\n")
    assert main(["check", "--statistics", "--output-format=json", "p.py"]) == 1
    assert json.loads(capsys.readouterr().out) == [
        {"code": "TBR101", "name": "tbr-branch-on-value", "count": 2, "fixable": False, "fixable_count": 0}
    ]


@pytest.mark.parametrize(
    ("arguments", "codes", "status"),
    [
        ([], {"TBR101"}, 1),
        (["--exit-zero"], {"TBR101"}, 0),
        (["--select=TBR2"], {"TBR201"}, 1),
        (["--select=TBR1,TBR2", "--ignore=TBR101"], {"TBR201"}, 1),
        (["--tbr-enable=TBR201"], {"TBR101", "TBR201"}, 1),
        (["--tbr-enable=TBR3", "--tbr-enable=TBR201"], {"TBR101", "TBR201"}, 1),
        (["--ignore=TBR"], set(), 0),
    ],
)
def test_selection_and_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], codes: set[str], status: int
) -> None:
    tmp_path.joinpath("p.py").write_text("import torch\nassert x\n")
    assert main(["check", "--output-format=json", *arguments]) == status
    assert {item["code"] for item in json.loads(capsys.readouterr().out)} == codes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "--select=E501"], "--select: unknown rule selector 'E501'"),
        (["check", "--tbr-confidence=high"], "--tbr-confidence: 'high'"),
        (["check", "--output-format=xml"], "invalid choice: 'xml'"),
        (["check", "--no-such"], "--no-such"),
        (["rule", "TBR999"], "unknown rule 'TBR999'"),
        (["rule"], "one of the arguments"),
        ([], "COMMAND"),
    ],
)
def test_a_wrong_command_line_is_status_2(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    try:
        status = main(arguments)
    except SystemExit as error:
        status = int(error.code or 0)
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert words in err


def test_no_files_is_clean_with_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert capsys.readouterr() == ("All checks passed!\n", "warning: No Python files found under the given path(s)\n")
    assert main(["check", "--output-format=json"]) == 0
    assert capsys.readouterr().out == "[]"


def test_folders_are_walked_in_order_and_files_taken_once(tmp_path: Path) -> None:
    for name in ("b.py", "a.pyi", "c.txt", "sub/z.py", "sub/a.py", ".venv/x.py", "dist/x.py", "node_modules/x.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    assert list(Walk(Resolver()).files(["."])) == ["a.pyi", "b.py", "sub/a.py", "sub/z.py"]
    assert list(Walk(Resolver()).files(["sub", "c.txt", "dist/x.py", "sub/a.py", str(tmp_path / "sub")])) == [
        "sub/a.py",
        "sub/z.py",
        "c.txt",
        "dist/x.py",
    ]


def test_rule_shows_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "TBR101"]) == 0
    assert capsys.readouterr().out.startswith("# TBR101 tbr-branch-on-value\n")
    assert main(["rule", "--all", "--output-format=json"]) == 0
    codes = [item["code"] for item in json.loads(capsys.readouterr().out)]
    assert codes == sorted(codes)
    assert "TBR101" in codes
    assert main(["rule", "TBR101", "--output-format=json"]) == 0
    item = json.loads(capsys.readouterr().out)
    assert (item["code"], item["name"]) == ("TBR101", "tbr-branch-on-value")
    assert item["summary"]
    assert "## Example" in item["explanation"]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0
    assert capsys.readouterr().out == f"tensorbranch {__version__}\n"
