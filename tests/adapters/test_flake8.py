"""The plugin in the real flake8, in a process of its own: same findings by every way in, and never a crash."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.samples import BRANCH, BRANCH_PLACE, RAISE, Sample, written
from tests.adapters.samples import SAMPLES as EVERY_SAMPLE


def flake8_survives(sample: Sample) -> bool:
    """Whether flake8 itself does: where Python says `ValueError` of a NUL byte (before 3.11.4), it does not."""
    try:
        ast.parse(sample.data.decode("latin-1"))
    except SyntaxError:
        pass
    except ValueError:
        return False
    return True


SAMPLES = [sample for sample in EVERY_SAMPLE if sample.name != "nul.py" or flake8_survives(sample)]
FINDING = re.compile(r"(?:\./)?(?P<path>[^:]+):(?P<rest>\d+:\d+: .*)")


def flake8(
    *arguments: str, cwd: Path, stdin: bytes | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flake8", *arguments]
    environment = {**os.environ, **(env or {})}
    done = subprocess.run(command, capture_output=True, check=False, cwd=cwd, input=stdin, env=environment, timeout=120)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def by_file(output: str) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for line in output.splitlines():
        match = FINDING.fullmatch(line)
        assert match, line
        rows.setdefault(match["path"], []).append(match["rest"])
    return rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("samples"), SAMPLES)


@pytest.fixture(scope="module")
def whole(folder: Path) -> subprocess.CompletedProcess[str]:
    """One run over every sample."""
    return flake8("--isolated", "--select=TBR,E9", "-j1", ".", cwd=folder)


def test_one_run_over_everything_ends_well(whole: subprocess.CompletedProcess[str]) -> None:
    assert whole.stderr == ""
    assert whole.returncode == 1
    assert "TBR000" not in whole.stdout


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_sample(whole: subprocess.CompletedProcess[str], sample: Sample) -> None:
    rows = by_file(whole.stdout).get(sample.name, [])
    assert len(rows) == len(sample.expected), rows
    for row, pattern in zip(rows, sample.expected, strict=True):
        assert re.match(pattern, row)


def test_processes_and_order_of_files_change_nothing(folder: Path, whole: subprocess.CompletedProcess[str]) -> None:
    names = sorted((sample.name for sample in SAMPLES), reverse=True)
    done = flake8("--isolated", "--select=TBR,E9", "-j2", *names, cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert by_file(done.stdout) == by_file(whole.stdout)


@pytest.mark.parametrize("name", ["branch.py", "crlf.py", "bom.py", "latin1.py", "syntax_error.py"])
def test_standard_input_is_read_like_the_file(folder: Path, whole: subprocess.CompletedProcess[str], name: str) -> None:
    data = folder.joinpath(name).read_bytes()
    done = flake8("--isolated", "--select=TBR,E9", "--stdin-display-name=" + name, "-", cwd=folder, stdin=data)
    assert done.stderr == ""
    assert by_file(done.stdout) == {name: by_file(whole.stdout)[name]}


def test_standard_input_that_differs_from_the_disk_wins(folder: Path) -> None:
    data = ("\n\n" + BRANCH).encode()
    done = flake8("--isolated", "--select=TBR", "--stdin-display-name=branch.py", "-", cwd=folder, stdin=data)
    assert done.stderr == ""
    assert [row[:5] for row in by_file(done.stdout)["branch.py"]] == ["7:8: "]


@pytest.mark.parametrize("warnings", ["default", "error"])
def test_torch_is_never_imported(
    tmp_path: Path, folder: Path, whole: subprocess.CompletedProcess[str], warnings: str
) -> None:
    for name in ("torch", "numpy"):
        tmp_path.joinpath(name).mkdir()
        tmp_path.joinpath(name, "__init__.py").write_text("raise RuntimeError('imported by the linter')\n")
    env = {"PYTHONPATH": str(tmp_path), "PYTHONWARNINGS": warnings}
    done = flake8("--isolated", "--select=TBR,E9", "-j1", ".", cwd=folder, env=env)
    assert (done.stdout, done.stderr) == (whole.stdout, "")


def test_flake8_lists_and_selects_the_plugin(folder: Path) -> None:
    assert "flake8-tensorbranch: " in flake8("--version", cwd=folder).stdout.replace("\n", " ")
    assert BRANCH_PLACE in flake8("--isolated", "branch.py", cwd=folder).stdout
    assert "TBR" not in flake8("--isolated", "--select=E,W,F", "branch.py", cwd=folder).stdout
    assert flake8("--isolated", "--select=TBR2", "branch.py", cwd=folder).stdout == ""


def test_no_configuration_of_flake8_switches_opt_in_rules_on(tmp_path: Path) -> None:
    tmp_path.joinpath("p.py").write_text(RAISE)
    for arguments in (["--select=TBR"], ["--ignore=E501"], ["--extend-select=TBR"]):
        assert flake8("--isolated", *arguments, "p.py", cwd=tmp_path).stdout == ""
    assert "TBR105" in flake8("--isolated", "--select=TBR", "--tbr-enable=TBR105", "p.py", cwd=tmp_path).stdout


@pytest.mark.parametrize("name", ["setup.cfg", "tox.ini", ".flake8"])
@pytest.mark.parametrize("option", ["tbr-enable", "tbr_enable"])
def test_options_are_read_from_the_configuration_file(tmp_path: Path, name: str, option: str) -> None:
    tmp_path.joinpath("p.py").write_text(RAISE)
    tmp_path.joinpath(name).write_text(f"[flake8]\nselect = TBR\n{option} =\n    TBR103,\n    TBR105\n")
    assert "TBR105" in flake8("p.py", cwd=tmp_path).stdout
    assert flake8("--tbr-enable=TBR2", "p.py", cwd=tmp_path).stdout == ""


@pytest.mark.parametrize(
    ("setting", "value"),
    [("tbr-confidence", "high"), ("tbr-enable", "E501"), ("tbr-torch", "new"), ("tbr-compiled", "a/b")],
)
def test_a_wrong_option_ends_the_run_with_its_name(tmp_path: Path, setting: str, value: str) -> None:
    tmp_path.joinpath("p.py").write_text("import torch\n")
    tmp_path.joinpath("setup.cfg").write_text(f"[flake8]\n{setting} = {value}\n")
    for done in (flake8("p.py", cwd=tmp_path), flake8("--isolated", f"--{setting}={value}", "p.py", cwd=tmp_path)):
        assert done.returncode == 1
        assert f"--{setting}: {value!r}" in done.stdout
        assert done.stderr == ""
