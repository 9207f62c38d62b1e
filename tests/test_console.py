"""What a run writes while it goes: levels, colours, progress, watching, and nothing half-done on an interrupt."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flake8_tensorbranch.cli import main
from flake8_tensorbranch.cli.console import Console, Level, colored
from flake8_tensorbranch.cli.progress import QUIET_FOR, Progress, progress
from tests.adapters.samples import BRANCH

COMMAND = [sys.executable, "-m", "flake8_tensorbranch"]
DEADLINE = 60.0  # seconds a child may take, on a busy machine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("when", "variables", "terminal", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": ""}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, True),
        ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
        ("auto", {"CLICOLOR": "0"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colours(
    monkeypatch: pytest.MonkeyPatch, when: str, variables: dict[str, str], terminal: bool, expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert colored(when, Terminal() if terminal else io.StringIO()) == expected


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("a.py").write_text(BRANCH)
    return tmp_path


@pytest.mark.parametrize(
    ("flags", "finding", "count", "spoken"),
    [([], True, True, False), (["-q"], True, False, False), (["-s"], False, False, False), (["-v"], True, True, True)],
)
@pytest.mark.parametrize("before", [False, True], ids=["after", "before"])
def test_levels(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    flags: list[str],
    finding: bool,
    count: bool,
    spoken: bool,
    before: bool,
) -> None:
    rest = ["check", "a.py", "--output-format=concise"]
    assert main([*flags, *rest] if before else [*rest, *flags]) == 1
    out, err = capsys.readouterr()
    assert ("TBR101" in out, "Found 1 error." in out, bool(err)) == (finding, count, spoken)
    assert not spoken or re.search(r"a\.py: 1 found in \d+\.\d{3}s, settings from no file", err)


def test_common_options_stand_on_either_side_of_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.joinpath("any.toml").write_text("ignore = ['TBR1']\n")
    assert main(["--config=any.toml", "check", "--config=extend-select=['TBR101']", "a.py"]) == 1
    assert main(["--config=any.toml", "check", "a.py"]) == 0
    assert main(["check", "--config=any.toml", "a.py"]) == 0
    assert main(["--isolated", "check", "a.py"]) == 1
    capsys.readouterr()


def test_quiet_runs_do_not_warn(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.joinpath("empty").mkdir()
    assert main(["check", "empty"]) == 0
    assert capsys.readouterr().err == "warning: No Python files found under the given path(s)\n"
    assert main(["check", "-q", "empty"]) == 0
    assert capsys.readouterr() == ("", "")


def test_an_output_file_is_written_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "a.py", "-o", "deep/found.json", "--output-format=json"]) == 1
    assert capsys.readouterr() == ("", "")
    assert '"TBR101"' in folder.joinpath("deep/found.json").read_text()
    assert [path.name for path in folder.joinpath("deep").iterdir()] == ["found.json"]
    assert main(["check", "a.py", "-o", "a.py/found"]) == 2
    assert "--output-file: a.py/found: " in capsys.readouterr().err


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_is_an_option_too(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^0$"):
        main([option])
    assert capsys.readouterr().out.startswith("tensorbranch ")


def test_settings_are_shown_with_their_sources(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.joinpath("tensorbranch.toml").write_text("ignore = ['TBR3']\n[per-file-ignores]\n'a.py' = ['TBR4']\n")
    assert main(["check", "--show-settings", "--select=TBR1,TBR4", "a.py"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f'Resolved settings for: "{folder}/a.py"'
    assert lines[1] == f'Settings path: "{folder}/tensorbranch.toml"'
    assert 'select = ["TBR1", "TBR4"]  # command line' in lines
    assert 'ignore = ["TBR3"]  # tensorbranch.toml' in lines
    assert 'per-file-ignores = { "a.py" = ["TBR4"] }  # tensorbranch.toml' in lines
    start, end = lines.index("rules.enabled = ["), lines.index("]")
    shown = lines[start + 1 : end]
    assert "\ttbr-branch-on-value (TBR101)," in shown
    assert not [line for line in shown if re.search(r"\(TBR[23456]", line)]
    assert "\ttbr-raise-on-value (TBR105)," in shown  # opt-in, and selected
    assert main(["check", "--show-settings", "a.py"]) == 0
    assert "(TBR105)" not in capsys.readouterr().out


def test_newer_syntax_than_the_target_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.joinpath("new.py").write_text("import torch\nmatch torch:\n    case _:\n        pass\n")
    assert main(["check", "new.py"]) == 0
    capsys.readouterr()
    assert main(["check", "new.py", "--target-version=py39", "--output-format=concise"]) == 1
    assert re.match(r"new\.py:\d+:\d+: invalid-syntax: .*3\.10", capsys.readouterr().out)


def test_progress_waits_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    stream = Terminal()
    line = Progress(stream, 40)
    for _ in range(10):
        line.looked_at(0)
    assert stream.getvalue() == ""
    now[0] = QUIET_FOR + 1
    line.looked_at(3)
    assert stream.getvalue() == "\r\x1b[K11/40 files, 5.5/s, 3 found"
    line.looked_at(1)  # too soon for another
    line.clear()
    assert stream.getvalue().endswith("3 found\r\x1b[K")


@pytest.mark.parametrize(
    ("terminal", "level", "shown"),
    [
        (True, Level.NORMAL, True),
        (False, Level.NORMAL, False),
        (True, Level.QUIET, False),
        (True, Level.VERBOSE, False),
    ],
)
def test_progress_is_for_people(monkeypatch: pytest.MonkeyPatch, terminal: bool, level: Level, shown: bool) -> None:
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress(Console(level), ["a.py"]) as line:
        line._due = 0.0
        line.looked_at(1)
    assert ("1/1 files" in stream.getvalue()) == shown


def interruptible() -> None:
    """Run in a child before it is the command: what a shell starts in its background ignores interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def read_until(stream: int, words: str, so_far: str = "") -> str:
    """What a child writes until `words` come; fails after a while."""
    end = time.monotonic() + DEADLINE
    while words not in so_far:
        ready, _, _ = select.select([stream], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"{words!r} did not come in: {so_far!r}"
        try:
            data = os.read(stream, 4096)
        except OSError:
            data = b""
        assert data, f"{words!r} did not come before the end of: {so_far!r}"
        so_far += data.decode()
    return so_far


def test_watching_runs_again_after_a_change_until_interrupted(folder: Path) -> None:
    child = subprocess.Popen(
        [*COMMAND, "check", "--watch", "--output-format=concise"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=interruptible,
    )
    assert child.stdout is not None
    try:
        out = child.stdout.fileno()
        first = read_until(out, "Watching for file changes.")
        assert re.match(r"\[\d\d:\d\d:\d\d [AP]M\] Starting linter in watch mode\.\.\.\n", first)
        assert "a.py:5:8: TBR101 " in first
        assert "\x1b" not in first
        folder.joinpath("b.py").write_text(BRANCH)
        second = read_until(out, "Watching for file changes.")
        assert "File change detected..." in second
        assert "b.py:5:8: TBR101 " in second
        folder.joinpath("tensorbranch.toml").write_text("wrong = 1\n")
        assert "unknown key 'wrong'" in read_until(out, "Watching for file changes.")
        folder.joinpath("tensorbranch.toml").write_text("ignore = ['TBR101']\n")
        assert "All checks passed!" in read_until(out, "Watching for file changes.")
        child.send_signal(signal.SIGINT)
        assert child.wait(DEADLINE) == 130
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_standard_input_is_not_watched(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--watch", "-"]) == 2
    assert "--watch" in capsys.readouterr().err


def test_an_interrupted_run_leaves_no_half_written_file(folder: Path) -> None:
    """On a terminal, in the middle of many files: status 130, the line of progress gone, no output file."""
    for number in range(8000):
        folder.joinpath(f"m{number}.py").write_text(BRANCH + f"# {number}\n")
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*COMMAND, "check", "-o", "found.txt"], stdout=subprocess.PIPE, stderr=theirs, preexec_fn=interruptible
    )
    os.close(theirs)
    assert child.stdout is not None
    try:
        shown = read_until(ours, " files, ")
        child.send_signal(signal.SIGINT)
        assert child.wait(DEADLINE) == 130
        shown = read_until(ours, "\r\x1b[K", shown.rpartition("\r\x1b[K")[2])
        assert "Traceback" not in shown
        assert child.stdout.read() == b""
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        os.close(ours)
    assert not [path.name for path in folder.iterdir() if path.suffix != ".py"]
