"""Whatever is looked at and however: no trace of ours but findings, at places that exist, always the same ones."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import warnings
from pathlib import Path

import hypothesmith
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flake8_tensorbranch.plugin import Plugin
from flake8_tensorbranch.settings import OPTIONS
from tests.adapters.samples import BRANCH, SAMPLES
from tests.hosts.driving import HELPED, HELPED_PLACE, ROOT, Done, environment, flake8, project, run
from tests.properties.torchlike import torchlike

FAULTY = str(Path(__file__).with_name("faulty.py"))
EVERYTHING = ["--tbr-enable=TBR", "--tbr-compiled=*", "--tbr-checkpointed=*"]


def test_35_examples_fixtures_and_nasty_files_leave_no_trace_but_findings(tmp_path: Path) -> None:
    for sample in SAMPLES:
        if sample.name not in ("nul.py", "long.py"):  # the first ends flake8 itself on some Pythons, the second is slow
            tmp_path.joinpath(sample.name).write_bytes(sample.data)
    folders = [str(ROOT / "examples"), str(ROOT / "tests" / "rules"), "."]
    options = ["--isolated", "--select=TBR", "--disable-noqa", "-j2", *EVERYTHING, *folders]
    plain = flake8(*options, cwd=tmp_path)
    strict = run([sys.executable, "-W", "error", "-m", "flake8", *options], tmp_path)
    for done in (plain, strict):
        assert (done.status, done.err) == (1, "")
        rows = done.out.splitlines()
        assert [row for row in rows if not re.fullmatch(r".+?\.py:\d+:\d+: TBR\d{3} \S.*", row)] == []
        assert not [row for row in rows if "TBR000" in row]
    assert sorted(plain.out.splitlines()) == sorted(strict.out.splitlines())
    assert len(plain.out.splitlines()) > 500


PLACES = [
    "flake8_tensorbranch.check:check_source",
    "flake8_tensorbranch.project:Project.index",
    "flake8_tensorbranch.modules:Finder.place",
    "flake8_tensorbranch.engine.inference.program:Program.solve",
    "flake8_tensorbranch.engine.inference.transfer:execute",
    "flake8_tensorbranch.engine.decisions:sites",
    "flake8_tensorbranch.disk:Disk.markers",
    "flake8_tensorbranch.source:SourceFile.from_lines",
    "flake8_tensorbranch.source:SourceFile.position",
    "flake8_tensorbranch.memory:settle",
]
KINDS = ["KeyError", "RecursionError", "MemoryError", "StopIteration", "SyntaxError", "OSError"]


@pytest.mark.parametrize(("place", "kind"), [(place, KINDS[n % len(KINDS)]) for n, place in enumerate(PLACES)])
def test_35_a_fault_in_the_analysis_costs_one_finding(tmp_path: Path, place: str, kind: str) -> None:
    tmp_path.joinpath("branch.py").write_text(BRANCH)
    tmp_path.joinpath("other.py").write_text("import os\n")
    arguments = ["--isolated", "--select=TBR,F401", "-j1", "branch.py", "other.py"]
    done = run([sys.executable, "-W", "error", FAULTY, place, kind, *arguments], tmp_path)
    assert (done.status, done.err) == (1, "")
    rows = [re.sub(r"^\./", "", row) for row in done.out.splitlines()]
    assert "other.py:1:1: F401 'os' imported but unused" in rows
    ours = [row for row in rows if " TBR" in row and row.startswith("branch.py")]
    assert len(ours) == 1
    assert re.match(r"branch\.py:1:1: TBR000 analysis of this file failed \(", ours[0]), ours


@pytest.mark.parametrize("kind", ["warn", "nonsense"])
def test_35_what_the_analysis_says_beside_findings_is_not_heard(tmp_path: Path, kind: str) -> None:
    tmp_path.joinpath("branch.py").write_text(BRANCH)
    place = "flake8_tensorbranch.engine.decisions:sites"
    done = run([sys.executable, FAULTY, place, kind, "--isolated", "--select=TBR", "branch.py"], tmp_path)
    assert (done.status, done.err) == (1, "")
    (row,) = done.out.splitlines()
    assert ("TBR000" if kind == "nonsense" else "TBR101") in row


NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])


def assert_placed(text: str) -> None:
    """What the plugin yields for a text lies inside the lines that flake8 holds, and is one clean line."""
    lines = io.StringIO(text, newline="").readlines()  # a form feed ends no line
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of the generated text
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError, RecursionError):
            return
    given = {option.key: option.default for option in OPTIONS}
    for values in ({}, {"enable": ("TBR",), "compiled": ("*",), "checkpointed": ("*",)}):
        plugin = type("Isolated", (Plugin,), {"given": {**dict.fromkeys(given), **values}, "isolated": True})
        rows = list(plugin(tree, lines, "generated.py").run())
        assert rows == sorted(rows, key=lambda row: row[:2])
        for line, column, message, _ in rows:
            assert 1 <= line <= max(len(lines), 1)
            assert 0 <= column <= len(lines[line - 1].rstrip("\r\n") if lines else "")
            assert re.fullmatch(r"TBR\d{3} \S.*", message)
            assert not re.search(r"[\r\n]|#\s*noqa|\s$", message)
            assert not message.startswith("TBR000") or "nest" in message, message


@settings(max_examples=40)
@given(torchlike(), NEWLINES, st.sampled_from(["", "\ufeff", "é = 'ü'\n", "\x0c\n"]))
def test_36_generated_modules_get_places_that_exist(text: str, newline: str, before: str) -> None:
    assert_placed((before.removeprefix("\ufeff") + text).replace("\n", newline))


@settings(max_examples=15)
@given(hypothesmith.from_grammar())
def test_36_any_module_that_mentions_torch(text: str) -> None:
    assert_placed("import torch\n" + text)


def shown(done: Done) -> list[str]:
    """The findings of a run by file, whatever the run called the file."""
    assert done.err == ""
    return sorted(re.sub(r"^(?:\./|/.*/)?(?=[^/]+:\d+:)", "", row) for row in done.out.splitlines())


SPAWN = """\
import multiprocessing, sys
if __name__ == "__main__":
    multiprocessing.set_start_method("{method}")
    from flake8.main.cli import main
    raise SystemExit(main(sys.argv[1:]))
"""


def test_37_one_answer_by_every_way_in(tmp_path: Path) -> None:
    folder = project(tmp_path)
    folder.joinpath("branch.py").write_text(BRANCH)
    options = ["--isolated", "--select=TBR", "--tbr-enable=TBR"]
    names = ["main.py", "lib.py", "branch.py"]
    expected = shown(flake8(*options, "-j1", *names, cwd=folder))
    assert [row.partition(" ")[0] for row in expected if "TBR101" in row] == ["branch.py:5:8:", "main.py:7:27:"]
    assert shown(flake8(*options, "-j2", *names, cwd=folder)) == expected
    assert shown(flake8(*options, "-j1", *reversed(names), cwd=folder)) == expected
    assert shown(flake8(*options, ".", cwd=folder)) == expected
    assert shown(flake8(*options, *(f"./{name}" for name in names), cwd=folder)) == expected
    assert shown(flake8(*options, *(str(folder / name) for name in names), cwd=folder.parent)) == expected
    for method in ("spawn", "forkserver"):
        script = folder.parent / f"{method}.py"
        script.write_text(SPAWN.format(method=method))
        assert shown(run([sys.executable, str(script), *options, "-j2", *names], folder)) == expected
    one = [row for row in expected if row.startswith("main.py")]
    for data in (
        HELPED.encode(),
        HELPED.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + HELPED.encode(),
        b"\xef\xbb\xbf" + HELPED.replace("\n", "\r\n").encode(),
    ):
        folder.joinpath("main.py").write_bytes(data)
        assert shown(flake8(*options, "main.py", cwd=folder)) == one
        assert shown(flake8(*options, "--stdin-display-name=main.py", "-", cwd=folder, stdin=data)) == one


@pytest.mark.parametrize("name", ["main.py", "./main.py", "{folder}/main.py", "new.py", "no/such/folder/x.py", None])
def test_39_standard_input_counts_and_not_the_disk(tmp_path: Path, name: str | None) -> None:
    folder = project(tmp_path)
    folder.joinpath("main.py").write_text("import torch\n")
    display = [] if name is None else [f"--stdin-display-name={name.format(folder=folder)}"]
    text = (
        HELPED
        if name is None or "no/such" not in name
        else HELPED.replace("from lib import helper", "helper = torch.any")
    )
    done = flake8("--isolated", "--select=TBR", *display, "-", cwd=folder, stdin="\n" + text)
    assert done.err == ""
    (row,) = done.out.splitlines()
    shown_name = "stdin" if name is None else name.format(folder=folder)
    assert row.startswith(f"{shown_name}:{HELPED_PLACE[0] + 1}:{HELPED_PLACE[1]}: TBR101 ")


IMPORTED = """\
import sys
from flake8.main.cli import main
status = main(sys.argv[1:])
heavy = [name for name in ("torch", "astroid", "numpy", "flake8_tensorbranch.check") if name in sys.modules]
raise SystemExit(f"imported: {heavy}" if heavy else 0)
"""


def test_40_nothing_heavy_is_imported_where_torch_is_not_mentioned(tmp_path: Path) -> None:
    tmp_path.joinpath("plain.py").write_text("import os\n\nif os.name:\n    print(1)\n")
    command = [sys.executable, "-c", IMPORTED, "--isolated", "--select=TBR"]
    done = subprocess.run(
        [*command, "plain.py"], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment()
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    tmp_path.joinpath("plain.py").write_text("import torch\n")
    done = subprocess.run(
        [*command, "plain.py"], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment()
    )
    assert done.stderr == "imported: ['astroid', 'flake8_tensorbranch.check']\n"
