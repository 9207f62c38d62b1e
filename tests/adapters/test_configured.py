"""The real flake8 under `[tool.tensorbranch]`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.samples import BRANCH, RAISE
from tests.adapters.test_flake8 import flake8
from tests.trees import put


def codes(*arguments: str, cwd: Path) -> list[tuple[str, str]]:
    done = flake8("--select=TBR", *arguments, cwd=cwd)
    assert done.stderr == ""
    rows = [line.split(" ")[:2] for line in done.stdout.splitlines()]
    return [(place.split(":")[0].removeprefix("./"), code) for place, code in rows]


def test_the_plugin_reads_what_flake8_has_no_option_for(tmp_path: Path) -> None:
    put(tmp_path, {"pyproject.toml": "[tool.tensorbranch]\nenable = ['TBR105']\n", "a.py": RAISE, "sub/b.py": RAISE})
    assert codes("--tbr-isolated", ".", cwd=tmp_path) == []
    both = [("a.py", "TBR105"), ("sub/b.py", "TBR105")]
    for arguments in (["-j1", "."], ["-j2", "."], ["a.py", str(tmp_path / "sub")]):
        found = codes(*arguments, cwd=tmp_path)
        assert sorted((Path(name).name, code) for name, code in found) == [("a.py", "TBR105"), ("b.py", "TBR105")]
    assert codes(".", cwd=tmp_path / "sub") == [("b.py", "TBR105")]
    put(tmp_path, {"sub/tensorbranch.toml": ""})
    assert codes(".", cwd=tmp_path) == both[:1]


def test_options_of_flake8_go_over_the_file(tmp_path: Path) -> None:
    put(tmp_path, {"tensorbranch.toml": "preview = true\n", "a.py": RAISE})
    assert codes("a.py", cwd=tmp_path) == [("a.py", "TBR105")]
    assert codes("--tbr-enable=TBR2", "a.py", cwd=tmp_path) == []
    put(tmp_path, {".flake8": "[flake8]\ntbr-enable = TBR2\n"})
    assert codes("a.py", cwd=tmp_path) == []


def test_selection_and_exclusion_are_flake8s(tmp_path: Path) -> None:
    put(tmp_path, {"tensorbranch.toml": "ignore = ['TBR1']\nexclude = ['a.py']\n", "a.py": BRANCH})
    assert codes(".", cwd=tmp_path) == [("a.py", "TBR101")]


def test_standard_input_is_configured_by_its_name(tmp_path: Path) -> None:
    put(tmp_path, {"sub/tensorbranch.toml": "enable = ['TBR105']\n"})
    arguments = ("--select=TBR", "--stdin-display-name=sub/new.py", "-")
    assert " TBR105 " in flake8(*arguments, cwd=tmp_path, stdin=RAISE.encode()).stdout
    assert flake8("--select=TBR", "-", cwd=tmp_path, stdin=RAISE.encode()).stdout == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("enabl = ['TBR105']\n", "unknown key 'enabl'"),
        ("torch = 'new'\n", "torch: 'new'"),
        ("torch = ", "Invalid value"),
    ],
)
def test_a_wrong_file_is_told_in_flake8s_way(tmp_path: Path, text: str, words: str) -> None:
    """At the start where it governs the current folder; else as the one finding of the files it governs."""
    put(tmp_path, {"sub/tensorbranch.toml": text, "sub/b.py": RAISE, "a.py": BRANCH})
    done = flake8("--select=TBR", "-j1", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    first, second = sorted(done.stdout.splitlines())
    assert first.startswith("./a.py:5:8: TBR101 ")
    assert second.startswith("./sub/b.py:1:1: TBR000 this file is not analysed: sub/tensorbranch.toml: ")
    assert words in second
    done = flake8("--select=TBR", ".", cwd=tmp_path / "sub")
    assert (done.returncode, done.stderr) == (1, "")
    assert "There was a critical error during execution of Flake8" in done.stdout
    assert "tensorbranch.toml: " in done.stdout
    assert words in done.stdout
    assert flake8("--select=TBR", "--tbr-isolated", ".", cwd=tmp_path / "sub").returncode == 0


def test_src_says_where_imports_start(tmp_path: Path) -> None:
    """Only with the module found is `positive` known to give a tensor."""
    user = "import torch\nfrom helpers import positive\n\n\ndef f(x: torch.Tensor) -> torch.Tensor:\n"
    user += "    if positive(x):\n        x = x * 2\n    return x\n"
    helper = "import torch\n\n\ndef positive(x: torch.Tensor) -> torch.Tensor:\n    return x.sum() > 0\n"
    put(tmp_path, {"pyproject.toml": "", "app/a.py": user, "odd/place/helpers.py": helper})
    assert codes("app", cwd=tmp_path) == []
    for files in (
        {"tensorbranch.toml": "src = ['odd/place']\n"},
        {"tensorbranch.toml": "", "pyproject.toml": "[tool.ruff]\nsrc = ['odd/place']\n"},
    ):
        put(tmp_path, files)
        assert codes("app", cwd=tmp_path) == [("app/a.py", "TBR101")]
