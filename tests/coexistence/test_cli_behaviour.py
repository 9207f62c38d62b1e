"""Statements 30 and 31: exit status and standard input as ruff has them, each case given to both commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.samples import BRANCH
from tests.coexistence.processes import Done, ruff, tensorbranch
from tests.trees import put

# What each file holds for ruff and for us: a finding with a safe fix, one without any, none, and no Python.
FIXABLE = (
    "import os\n",
    "import torch\nfrom torch.utils.checkpoint import checkpoint\n\n\n"
    "def f(block: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:\n    return checkpoint(block, x)\n",
)
FIXED = ("", FIXABLE[1].replace("(block, x)", "(block, x, use_reentrant=False)"))
LEFT = ("undefined\n", BRANCH)
CLEAN = ("x = 1\n", "import torch\n\nx = torch.ones(3)\n")
BROKEN = ("x = (\n", "import torch\nx = (\n")
FILES = {"fixable.py": FIXABLE, "left.py": LEFT, "clean.py": CLEAN, "broken.py": BROKEN, "out/fixable.py": FIXABLE}
CONFIG = ('extend-exclude = ["out"]\n', 'lint.select = ["F", "E902"]\n', 'extend-safe-fixes = ["TBR506"]\n')


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """A folder for ruff and one for us, alike but for what is found in them."""
    for number, tool in enumerate(("ruff", "tensorbranch")):
        put(tmp_path / tool, {name: texts[number] for name, texts in FILES.items()})
        put(tmp_path / tool, {f"{tool}.toml": CONFIG[0] + CONFIG[1 + number], "empty/readme.txt": ""})
    return tmp_path / "ruff", tmp_path / "tensorbranch"


def run_both(both: tuple[Path, Path], arguments: str, stdin: tuple[str, str] = ("", "")) -> tuple[Done, Done]:
    theirs, ours = both
    parts = arguments.split()
    return (
        ruff(*parts, cwd=theirs, stdin=stdin[0].encode()),
        tensorbranch("check", *parts, cwd=ours, stdin=stdin[1].encode()),
    )


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("clean.py", 0),
        ("fixable.py", 1),
        ("left.py", 1),
        ("broken.py", 1),
        ("missing.py", 1),
        ("clean.py missing.py", 1),
        ("", 1),
        ("empty", 0),
        ("left.py --exit-zero", 0),
        ("left.py -e --fix", 0),
        ("missing.py --exit-zero", 0),
        ("fixable.py --fix", 0),
        ("fixable.py left.py --fix", 1),
        ("fixable.py --fix --no-fix", 1),
        ("fixable.py --fix --exit-non-zero-on-fix", 1),
        ("clean.py --fix --exit-non-zero-on-fix", 0),
        ("left.py --fix --exit-non-zero-on-fix", 1),
        ("fixable.py --exit-non-zero-on-fix", 1),
        ("fixable.py --fix-only", 0),
        ("left.py --fix-only", 0),
        ("fixable.py --fix-only --exit-non-zero-on-fix", 1),
        ("fixable.py --diff", 1),
        ("left.py --diff", 0),
        ("clean.py --diff", 0),
        ("fixable.py --statistics", 1),
        ("fixable.py -q", 1),
        ("fixable.py -s", 1),
        ("-s clean.py", 0),
        ("fixable.py -v", 1),
        ("fixable.py --output-file=found.txt", 1),
        ("out/fixable.py", 1),
        ("out/fixable.py --force-exclude", 0),
        ("out/fixable.py --force-exclude --no-force-exclude", 1),
        ("out", 1),
        ("out --isolated", 1),
        ("--show-files", 0),
        ("--show-settings clean.py", 0),
        ("--select=ALL clean.py --exit-zero", 0),
        ("--select=NOPE clean.py", 2),
        ("--ignore=E5x clean.py", 2),
        ("--per-file-ignores=clean.py:NOPE clean.py", 2),
        ("--per-file-ignores=clean.py clean.py", 2),
        ("--no-such-option clean.py", 2),
        ("--no-such-option=1 clean.py", 2),
        ("--output-format=nope clean.py", 2),
        ("--target-version=py2 clean.py", 2),
        ("--color=nope clean.py", 2),
        ("--sel=ALL clean.py", 2),
        ("--config=missing.toml clean.py", 2),
        ("--config=nope=1 clean.py", 2),
        ("--config=fix=1 clean.py", 2),
        ("--config=fix=true fixable.py", 0),
        ("--config=clean.py clean.py", 2),
        ("-q -v clean.py", 2),
        ("-q -s clean.py", 2),
    ],
)
def test_30_status(both: tuple[Path, Path], arguments: str, status: int) -> None:
    theirs, ours = run_both(both, arguments)
    assert (ours.status, theirs.status) == (status, status), (ours, theirs)
    if status == 2:
        assert ours.out == theirs.out == ""
        assert ours.err.strip()
    elif "-v" not in arguments and "ALL" not in arguments:
        assert bool(ours.err) == bool(theirs.err) or "missing" in arguments, (ours, theirs)


def test_30_configuration_in_error_is_status_2(both: tuple[Path, Path]) -> None:
    theirs, ours = both
    put(theirs, {"out/ruff.toml": "nope = 1\n"})
    put(ours, {"out/tensorbranch.toml": "nope = 1\n"})
    for done in run_both(both, "out/fixable.py"):
        assert done.status == 2
        assert "nope" in done.err
        assert "out" in done.err


def test_30_a_closer_configuration_governs(both: tuple[Path, Path]) -> None:
    theirs, ours = both
    put(theirs, {"out/ruff.toml": "lint.select = []\n"})
    put(ours, {"out/tensorbranch.toml": "select = []\n"})
    assert [done.status for done in run_both(both, "out/fixable.py")] == [0, 0]
    assert [done.status for done in run_both(both, "out/fixable.py fixable.py")] == [1, 1]


def named(done: Done) -> set[str]:
    return {Path(item["filename"]).name for item in json.loads(done.out)}


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("-", "-"),
        ("- --stdin-filename=p.py", "p.py"),
        ("--stdin-filename=p.py", "p.py"),
        ("--stdin-filename=clean.py -", "clean.py"),  # which holds something else
        ("--stdin-filename=out/p.py -", "p.py"),
    ],
)
def test_31_standard_input_is_known_by_its_name(both: tuple[Path, Path], arguments: str, name: str) -> None:
    for done in run_both(both, f"{arguments} --output-format=json", LEFT):
        assert (done.status, done.err) == (1, "")
        assert named(done) == {name}


@pytest.mark.parametrize("flags", ["--fix", "--fix-only"])
def test_31_repaired_it_takes_standard_output(both: tuple[Path, Path], flags: str) -> None:
    before = {path: path.read_bytes() for root in both for path in root.rglob("*.py")}
    for done, fixed in zip(run_both(both, f"- {flags} --stdin-filename=fixable.py", FIXABLE), FIXED, strict=True):
        assert (done.status, done.out) == (0, fixed)
    # What is left to report goes to standard error; what cannot be repaired comes out as it was.
    for done, text in zip(run_both(both, f"- {flags} --stdin-filename=left.py", LEFT), LEFT, strict=True):
        assert (done.status, done.out) == (int(flags == "--fix"), text)
        assert ("left.py:" in done.err) == (flags == "--fix")
    assert {path: path.read_bytes() for root in both for path in root.rglob("*.py")} == before


@pytest.mark.parametrize("flags", ["", "--fix", "--diff"])
def test_31_excluded_it_is_not_looked_at_under_force_exclude(both: tuple[Path, Path], flags: str) -> None:
    arguments = f"- --force-exclude --stdin-filename=out/p.py {flags}"
    theirs, ours = run_both(both, arguments, FIXABLE)
    assert (theirs.status, ours.status) == (0, 0)
    if flags == "--fix":
        assert (theirs.out, ours.out) == FIXABLE
    else:
        assert FIXABLE[1] not in ours.out
        assert theirs.out == ours.out


def test_31_syntax_errors_leave_it_as_it_is(both: tuple[Path, Path]) -> None:
    for done, text in zip(run_both(both, "- --fix", BROKEN), BROKEN, strict=True):
        assert (done.status, done.out) == (1, text)
        assert "syntax" in done.err


def test_the_walk_finds_what_ruff_finds(tmp_path: Path) -> None:
    names = """
    top.py a/one.py a/b/two.py a/b/keep.py a/b/c/three.py d/e/f.py ign/x/y.py k/z.py k/y.py s.tmp.py a/q.tmp.py
    .venv/x.py dist/x.py build/x.py node_modules/x.py a/.git/x.py stub.pyi note.txt out/x.py lib/out/y.py inner/p.py
    """
    put(tmp_path, dict.fromkeys(names.split(), ""))
    put(
        tmp_path,
        {
            ".git/info/exclude": "f.py\n",
            ".gitignore": "ign/\n*.tmp.py\ntwo.py\n/k/*\n!k/z.py\n",
            "a/b/.gitignore": "!two.py\nc/\n",
            "a/.ignore": "one.py\n",
            "inner/.git/HEAD": "",
        },
    )
    put(tmp_path, {"ruff.toml": "extend-exclude = ['out', 'lib/*/y.py']\n"})
    cases = [
        "",
        "ign",
        "a",
        "ign/x",
        "a/b/c",
        "k d",
        "--no-respect-gitignore",
        "--isolated",
        "out",
        "out --force-exclude",
    ]
    cases += ["--exclude=a", "--extend-exclude=*.pyi,d/**", "dist/x.py k/y.py", "dist/x.py lib --force-exclude"]
    for case in cases:
        # Ruff's files of other kinds, its own configuration among them, are no files of ours.
        theirs = ruff("--show-files", *case.split(), cwd=tmp_path)
        ours = tensorbranch("check", "--show-files", *case.split(), cwd=tmp_path)
        expected = [line for line in theirs.out.splitlines() if line.endswith((".py", ".pyi"))]
        assert sorted(ours.out.splitlines()) == sorted(expected), case
        assert ours.status == 0


def test_without_pathspec_the_walk_goes_on_with_one_warning(tmp_path: Path) -> None:
    put(tmp_path, {".git/HEAD": "", ".gitignore": "a.py\n", "sub/.gitignore": "b.py\n", "a.py": "", "sub/b.py": ""})
    blocker = "import sys\nsys.modules['pathspec'] = None\n"
    put(tmp_path, {"site/sitecustomize.py": blocker})
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "flake8_tensorbranch", "check", "--show-files", "a.py", "sub"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [str(tmp_path / "a.py"), str(tmp_path / "sub/b.py")]
    assert done.stderr.count("warning: pathspec is not installed") == 1
