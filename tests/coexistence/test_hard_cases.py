"""What goes wrong around a run (paths, streams, options, the environment), side by side with ruff."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.coexistence.processes import Done, ruff, tensorbranch

BRANCH = "import torch\n\n\ndef f(x: torch.Tensor) -> torch.Tensor:\n    return x if x.sum() > 0 else -x\n"
IMPORT = "import os\n"
CONCISE = ("--output-format", "concise")


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """Folders for us and for ruff, with a finding in `a.py` and `b.py` of each."""
    for name, text in (("ours", BRANCH), ("theirs", IMPORT)):
        tmp_path.joinpath(name).mkdir()
        for file in ("a.py", "b.py"):
            tmp_path.joinpath(name, file).write_text(text, encoding="utf-8")
    return tmp_path / "ours", tmp_path / "theirs"


def run(both: tuple[Path, Path], *arguments: str, stdin: tuple[str, str] = (BRANCH, IMPORT)) -> tuple[Done, Done]:
    """The same command line for us and for ruff, `TBR` in it being `F` and `TBR1` being `F4` for ruff."""
    theirs = [argument.replace("TBR1", "F4").replace("TBR", "F") for argument in arguments]
    ours = tensorbranch("check", "--isolated", *arguments, cwd=both[0], stdin=stdin[0].encode())
    return ours, ruff("--isolated", "--select=F", *theirs, cwd=both[1], stdin=stdin[1].encode())


def named(done: Done) -> list[str]:
    return sorted({line.partition(":")[0] for line in done.out.splitlines() if ":" in line and "`--" not in line})


@pytest.mark.parametrize(
    "arguments",
    [
        "-q a.py --output-format concise b.py",
        "a.py --ignore TBR5 b.py --output-format=concise",
        "--output-format concise a.py -- b.py",
        "a.py -q a.py --output-format concise",
        "link.py a.py -q --output-format concise",
        "--stdin-filename=in.py a.py --output-format concise",
        "-q --stdin-filename=in.py --output-format concise - a.py",
    ],
)
def test_the_same_files_are_looked_at(both: tuple[Path, Path], arguments: str) -> None:
    for folder in both:
        folder.joinpath("link.py").symlink_to("a.py")
    ours, theirs = run(both, *arguments.split())
    assert named(ours) == named(theirs) != []
    assert (ours.status, ours.err) == (theirs.status, theirs.err)


@pytest.mark.parametrize("pattern", ["**/g", "g", "f/g", "*/g", "./f", "**/f/**", "[fg]", "f/*", "../*/f/g", "b.py,g"])
@pytest.mark.parametrize("start", [".", "..", "f"])
def test_excluded_paths(both: tuple[Path, Path], pattern: str, start: str) -> None:
    shown = []
    for folder in both:
        for name in ("f/g/c.py", "g/d.py", "in/f/g/e.py", "in/h.py"):
            folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            folder.joinpath(name).touch()
    cwd = "in" if start == ".." else "."
    for place, tool in zip(both, (tensorbranch, ruff), strict=True):
        flags = ("check",) if tool is tensorbranch else ()
        done = tool(*flags, "--isolated", "--show-files", "--exclude", pattern, start, cwd=place / cwd)
        shown.append([os.path.relpath(line, place) for line in done.out.splitlines()])
    assert shown[0] == shown[1]


@pytest.mark.parametrize("path", ["", "a.py/", "folder.py"])
def test_odd_paths(both: tuple[Path, Path], path: str) -> None:
    for folder in both:
        folder.joinpath("folder.py").mkdir()
    ours, theirs = run(both, path)
    assert ours.status == theirs.status
    assert bool(ours.err) == bool(theirs.err)


@pytest.mark.parametrize("option", ["--ignore", "--extend-select", "--fixable", "--unfixable", "--extend-fixable"])
@pytest.mark.parametrize("selector", ["", "TBR5,", ",", "TB", "tbr", "ALL", "TBR"])
def test_selectors_that_are_none(both: tuple[Path, Path], option: str, selector: str) -> None:
    ours = tensorbranch("check", "--isolated", option, selector, "a.py", cwd=both[0])
    theirs = ruff("--isolated", option, {"TB": "FL"}.get(selector, selector.replace("TBR", "F")), "a.py", cwd=both[1])
    assert (ours.status == 2) == (theirs.status == 2), ours.err


@pytest.mark.parametrize("pairs", ["", "*.py:", "*.py", "a.py:TBR1,", "a.py:TBR1, b.py:TBR1"])
def test_globs_with_codes(both: tuple[Path, Path], pairs: str) -> None:
    ours, theirs = run(both, "--per-file-ignores", pairs)
    assert ours.status == theirs.status, ours.err


@pytest.mark.parametrize(
    "arguments",
    [
        "--diff --show-fixes",
        "--diff --statistics",
        "--show-files --statistics",
        "--show-files --ignore-noqa",
        "--show-files --show-settings",
        "--show-files --stdin-filename=a.py",
        "--show-settings --statistics",
        "--show-settings --ignore-noqa",
        "--show-settings --stdin-filename=a.py",
        "--watch --statistics",
        "--watch --show-files",
        "--watch --show-settings",
        "--exit-zero --exit-non-zero-on-fix",
        "--output-file=",
        "--output-file=.",
        "--stdin-filename=",
        "--config=extend='a.toml'",
    ],
)
def test_options_that_are_refused(both: tuple[Path, Path], arguments: str) -> None:
    ours, theirs = run(both, *arguments.split())
    assert (ours.status, theirs.status) == (2, 2)
    assert ours.err


def test_paths_that_are_no_utf8(both: tuple[Path, Path]) -> None:
    for folder in both:
        os.rename(os.fsencode(folder / "a.py"), os.fsencode(folder) + b"/p\xe9 !\"#$%&'()*+,-.:;<=>?@[\\]^_`{|}~.py")
        folder.joinpath("b.py").unlink()
    for form in ("sarif", "json", "gitlab"):
        paths = []
        for done, folder in zip(run(both, "--output-format", form), both, strict=True):
            keys = ('"uri"', '"filename"', '"path"')
            rows = [line.strip().rstrip(",") for line in done.out.splitlines() if line.strip().startswith(keys)]
            paths.append({json.loads(f"{{{row}}}").popitem()[1].replace(folder.name, "") for row in rows})
        assert paths[0] == paths[1]
        assert len(paths[0]) == 1


def test_the_environment(both: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def environment(format_: str | None = None, file: str | None = None) -> None:
        for tool in ("RUFF", "TENSORBRANCH"):
            for name, value in (("OUTPUT_FORMAT", format_), ("OUTPUT_FILE", file)):
                if value is None:
                    monkeypatch.delenv(f"{tool}_{name}", raising=False)
                else:
                    monkeypatch.setenv(f"{tool}_{name}", value)

    def statuses(*arguments: str) -> list[int]:
        return [done.status for done in run(both, "a.py", *arguments)]

    environment("nope")
    assert statuses() == [2, 2]
    assert statuses("--output-format=json") == [1, 1]
    environment("")
    assert statuses() == [2, 2]
    environment(file="")
    assert statuses() == [2, 2]
    environment("pylint", "out.txt")
    assert [(done.status, done.out) for done in run(both, "a.py")] == [(1, "")] * 2
    assert all(folder.joinpath("out.txt").read_text().startswith("a.py:") for folder in both)
    environment("sarif")
    assert statuses("--statistics") == [2, 2]


REQUIRED = (
    ">=3.8|>3.8|>=3.9,<4|<4|==3.11.*|~=3.10|>=3.6|>=3|>= 3.9.2|>=3.12,!=3.13|===3.11|>=2.7,!=3.0.*,>=3.9|^3.9||>=4"
    "|==3.10.1|>=3.10rc1"
)


@pytest.mark.parametrize("required", REQUIRED.split("|"))
def test_the_target_follows_requires_python(both: tuple[Path, Path], required: str) -> None:
    shown = []
    for folder, tool in zip(both, ("tensorbranch", "ruff"), strict=True):
        text = f"[project]\nname = 'p'\nversion = '1'\nrequires-python = '{required}'\n[tool.{tool}]\n"
        folder.joinpath("pyproject.toml").write_text(text, encoding="utf-8")
    ours = tensorbranch("check", "--show-settings", "a.py", cwd=both[0]).out
    theirs = ruff("--show-settings", "a.py", cwd=both[1]).out
    shown = [line.split()[2].strip('"') for line in ours.splitlines() if line.startswith("target-version")]
    target = [line.split()[-1] for line in theirs.splitlines() if line.startswith("linter.unresolved_target_version")]
    known = target and target != ["none"]
    assert shown == ([f"py{target[0].replace('.', '')}"] if known else ["that"])  # as the default is described


def test_the_closest_project_counts(tmp_path: Path) -> None:
    deep = tmp_path / "in" / "deep"
    deep.mkdir(parents=True)
    deep.joinpath("a.py").write_text("x = 1\n")
    tmp_path.joinpath("pyproject.toml").write_text("[project]\nrequires-python = '>=3.9'\n")

    def target(*arguments: str) -> str:
        lines = tensorbranch("check", "--show-settings", *arguments, "a.py", cwd=deep).out.splitlines()
        return next(line.split()[2] for line in lines if line.startswith("target-version"))

    assert target() == '"py39"'
    assert target("--isolated") == "that"
    tmp_path.joinpath("in", "tensorbranch.toml").touch()
    assert target() == '"py39"'
    tmp_path.joinpath("in", "pyproject.toml").write_text("[project]\nrequires-python = '>=3.10'\n")
    assert target() == '"py310"'
    tmp_path.joinpath("in", "tensorbranch.toml").write_text("target-version = 'py312'\n")
    assert target() == '"py312"'


def test_a_target_too_old_for_a_file_does_not_hide_its_findings(both: tuple[Path, Path]) -> None:
    for folder, text in zip(both, (BRANCH, IMPORT), strict=True):
        folder.joinpath("a.py").write_text(f"{text}match 1:\n    case 1:\n        pass\n")
    for done, code in zip(run(both, "a.py", "--target-version=py37", *CONCISE), ("TBR101", "F401"), strict=True):
        assert code in done.out
        assert "invalid-syntax" in done.out
        assert done.status == 1


def test_a_codec_that_makes_no_text(tmp_path: Path) -> None:
    for codec in ("hex", "rot13", "zlib", "undefined", "nope"):
        tmp_path.joinpath("a.py").write_text(f"# coding: {codec}\n{BRANCH}")
        done = tensorbranch("check", *CONCISE, "a.py", cwd=tmp_path)
        assert (done.status, done.err) == (1, "")
        assert done.out.startswith("a.py:1:1: invalid-syntax: ")


def test_an_output_file_that_is_none(tmp_path: Path) -> None:
    tmp_path.joinpath("a.py").write_text(BRANCH)
    tmp_path.joinpath("link").symlink_to("report")
    assert tensorbranch("check", "a.py", "-o", "link", cwd=tmp_path).status == 1
    assert tmp_path.joinpath("link").is_symlink()
    tmp_path.joinpath("report").chmod(0o604)
    assert tensorbranch("check", "a.py", "-o", "report", *CONCISE, cwd=tmp_path).status == 1
    assert stat.S_IMODE(tmp_path.joinpath("report").stat().st_mode) == 0o604
    assert tmp_path.joinpath("report").read_text().startswith("a.py:5:")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        assert tensorbranch("check", "a.py", "-o", "pipe", *CONCISE, cwd=tmp_path).status == 1
        assert reader.communicate(timeout=60)[0].startswith("a.py:5:")
    assert pipe.is_fifo()


@pytest.mark.skipif(sys.platform != "linux", reason="the device is Linux's")
@pytest.mark.parametrize(
    ("line", "status"),
    [("a.py >/dev/full", 2), ("a.py -o /dev/full", 2), ("a.py >&-", 1), ("- <&-", 0), ("--fix - <&-", 0)],
)
def test_streams_that_are_closed_or_full(tmp_path: Path, line: str, status: int) -> None:
    tmp_path.joinpath("a.py").write_text(BRANCH)
    command = f"{sys.executable} -m flake8_tensorbranch check --isolated {line}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=False, text=True, timeout=60)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert not Path("/dev/full").is_file()


def test_a_diff_into_a_pipe_that_closes_is_silent(tmp_path: Path) -> None:
    tmp_path.joinpath("a.py").write_text(BRANCH)
    command = [sys.executable, "-m", "flake8_tensorbranch", "check", "--diff", "--unsafe-fixes", "a.py"]
    read, written = os.pipe()
    os.close(read)
    done = subprocess.run(command, cwd=tmp_path, stdout=written, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(written)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("option", ["--fix-only", "--fix"])
def test_a_fix_that_cannot_be_written_is_a_failure(
    tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, data: bytes, before: bytes) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("flake8_tensorbranch.fixes.store.write", refuse)
    tmp_path.joinpath("a.py").write_text("import torch\n\nx = torch.ones(1)  # noqa: TBR101\n")
    done = tensorbranch("check", option, "a.py", cwd=tmp_path)
    assert done.status == 1
    assert "a.py: not fixed: " in done.err


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.joinpath("locked").mkdir()
    tmp_path.joinpath("a.py").touch()
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    done = tensorbranch("check", "--isolated", ".", cwd=tmp_path)
    assert (done.status, done.out) == (0, "All checks passed!\n")
    assert done.err.startswith("warning: ./locked: Permission denied")


@pytest.mark.parametrize("option", ["--fix", "--fix-only", "--diff", "--add-noqa"])
def test_a_notebook_without_python_is_left_alone(tmp_path: Path, option: str) -> None:
    empty: dict[str, object] = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    julia = {**empty, "metadata": {"kernelspec": {"language": "julia", "name": "j"}}}
    for name, notebook in (("empty", empty), ("julia", julia)):
        tmp_path.joinpath(f"{name}.ipynb").write_text(json.dumps(notebook))
    done = tensorbranch("check", option, ".", cwd=tmp_path)
    assert (done.status, done.err.replace("Added 0 noqa directives.\n", "")) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to send there")
def test_an_interrupt_of_the_first_import_is_quiet(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background has none\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'flake8_tensorbranch.cli.parser':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from flake8_tensorbranch.cli import main\n"
        "sys.exit(main(['version']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.parametrize(
    "variables", ["", "FORCE_COLOR=0", "FORCE_COLOR=1 NO_COLOR=1", "FORCE_COLOR=1 NO_COLOR=", "CLICOLOR_FORCE=1"]
)
@pytest.mark.parametrize("option", ["", "--color=always", "--color=never", "--color=always -o out.txt"])
def test_colours(both: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, variables: str, option: str) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"):
        monkeypatch.delenv(name, raising=False)
    for variable in variables.split():
        monkeypatch.setenv(*variable.split("=", 1))
    ours, theirs = run(both, "a.py", *CONCISE, *option.split())
    to_file = "-o" in option
    written = [
        folder.joinpath("out.txt").read_text() if to_file else done.out
        for folder, done in zip(both, (ours, theirs), strict=True)
    ]

    assert all("a.py" in text for text in written)
    assert ("\x1b" in written[0]) == ("\x1b" in written[1])


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to send there")
@pytest.mark.parametrize(("signal", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_end_while_a_file_is_written_leaves_no_other(tmp_path: Path, signal: str, status: int) -> None:
    tmp_path.joinpath("a.py").write_text(BRANCH)
    code = (
        "import os, shutil, signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background has none\n"
        "def copymode(source, target):\n"
        f"    os.kill(os.getpid(), signal.{signal})\n"
        "    time.sleep(60)\n"
        "shutil.copymode = copymode\n"
        "from flake8_tensorbranch.cli import main\n"
        "sys.exit(main(['check', '--fix', '--unsafe-fixes', 'a.py']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")
    assert os.listdir(tmp_path) == ["a.py"]
    assert tmp_path.joinpath("a.py").read_text() == BRANCH
