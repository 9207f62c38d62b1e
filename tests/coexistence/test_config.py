"""Statements 19 to 22: ruff's configuration and ours, side by side, with the real ruff."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from flake8_tensorbranch.pages import pages
from tests.coexistence.processes import ruff, run, tensorbranch
from tests.trees import put

ROOT = Path(__file__).parents[2]
UNUSED = "x = 1  # noqa: TBR101, E501\n"
KEPT = "x = 1  # noqa: TBR101\n"
EXTERNAL = 'external = ["TBR"]'
TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "flake8_tensorbranch/docs").glob("*.md")),
]
SNIPPETS = [
    pytest.param(block, id=f"{path.name}-{number}")
    for path in DOCS
    for number, block in enumerate(TOML.findall(path.read_text(encoding="utf-8")))
    if "tool.ruff" in block or block.startswith("[lint")
]


def keeps(folder: Path, name: str) -> bool:
    """Whether ruff, fixing with its default rules, leaves our code in the comment of a file."""
    path = folder / name
    path.write_text(UNUSED)
    ruff("--fix", "--quiet", str(path), cwd=folder)
    assert path.read_text() in (KEPT, "x = 1\n")
    return path.read_text() == KEPT


# Each tree of configurations, with the file that governs each linted file (None: there is none), and whether ruff keeps
# our codes there.
TREES = {
    "nothing": ({}, {"a.py": (None, False)}),
    "pyproject of others": ({"pyproject.toml": "[project]\nname = 'x'\nversion = '1'\n"}, {"a.py": (None, False)}),
    "ruff without external": ({"ruff.toml": "line-length = 90\n"}, {"a.py": ("ruff.toml", False)}),
    "external": ({"pyproject.toml": f"[tool.ruff.lint]\n{EXTERNAL}\n"}, {"a.py": ("pyproject.toml", True)}),
    "deprecated place": ({"ruff.toml": f"{EXTERNAL}\n"}, {"a.py": ("ruff.toml", True)}),
    "hidden deprecated place": (
        {"ruff.toml": f"{EXTERNAL}\n[lint]\nexternal = ['V']\n"},
        {"a.py": ("ruff.toml", False)},
    ),
    "wrong case": ({"ruff.toml": "[lint]\nexternal = ['tbr']\n"}, {"a.py": ("ruff.toml", False)}),
    "glob": ({"ruff.toml": "[lint]\nexternal = ['TBR*']\n"}, {"a.py": ("ruff.toml", False)}),
    "shorter": ({"ruff.toml": "[lint]\nexternal = ['V', 'TB']\n"}, {"a.py": ("ruff.toml", True)}),
    "precedence": (
        {
            ".ruff.toml": "[lint]\n",
            "ruff.toml": f"[lint]\n{EXTERNAL}\n",
            "pyproject.toml": f"[tool.ruff.lint]\n{EXTERNAL}\n",
        },
        {"a.py": (".ruff.toml", False)},
    ),
    "nested drops": (
        {"pyproject.toml": f"[tool.ruff.lint]\n{EXTERNAL}\n", "sub/ruff.toml": "line-length = 90\n"},
        {"a.py": ("pyproject.toml", True), "sub/b.py": ("sub/ruff.toml", False)},
    ),
    "nested inherits": (
        {"ruff.toml": f"[lint]\n{EXTERNAL}\n", "sub/ruff.toml": "extend = '../ruff.toml'\n"},
        {"sub/b.py": ("sub/ruff.toml", True)},
    ),
    "nested replaces": (
        {"ruff.toml": f"[lint]\n{EXTERNAL}\n", "sub/ruff.toml": "extend = '../ruff.toml'\n[lint]\nexternal = ['V']\n"},
        {"sub/b.py": ("sub/ruff.toml", False)},
    ),
    "inherits nothing": (
        {"base.toml": "[lint]\nexternal = ['V']\n", "sub/ruff.toml": "extend = '../base.toml'\n"},
        {"sub/b.py": ("sub/ruff.toml", False)},
    ),
    "passed over": (
        {"ruff.toml": f"[lint]\n{EXTERNAL}\n", "sub/pyproject.toml": "[tool.black]\n"},
        {"sub/b.py": ("ruff.toml", True)},
    ),
}


@pytest.fixture(autouse=True)
def no_user(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No configuration of the machine's user."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.mark.parametrize("tree", TREES)
def test_19_config_ruff_knows_which_file_governs_and_whether_it_keeps_our_codes(tmp_path: Path, tree: str) -> None:
    configs, expected = TREES[tree]
    put(tmp_path, {**configs, **dict.fromkeys(expected, UNUSED)})
    status, out, err = tensorbranch("config", "ruff", cwd=tmp_path)
    assert (status, err) == (0 if all(kept for _, kept in expected.values()) else 1, "")
    for name, (governing, kept) in expected.items():
        assert f"{governing or 'no configuration of ruff'} governs {name}\n" in out
        assert keeps(tmp_path, name) == kept
    assert ('"TBR"]\n' in out) == (status == 1)  # the line to add


@pytest.mark.parametrize("tree", TREES)
def test_19_after_write_ruff_keeps_our_codes(tmp_path: Path, tree: str) -> None:
    configs, expected = TREES[tree]
    put(tmp_path, {**configs, **dict.fromkeys(expected, UNUSED)})
    assert tensorbranch("config", "ruff", "--write", cwd=tmp_path)[::2] == (0, "")
    for name in expected:
        assert keeps(tmp_path, name)
    before = {name: (tmp_path / name).read_bytes() for name in configs}
    assert tensorbranch("config", "ruff", "--write", cwd=tmp_path).status == 0
    assert {name: (tmp_path / name).read_bytes() for name in configs} == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "# head\r\n[tool.ruff]  # ours\r\nline-length = 90\r\n\r\n[tool.other]\r\nx = 1 # one\r\n",
            '# head\r\n[tool.ruff]  # ours\r\nline-length = 90\r\n\r\n[tool.ruff.lint]\r\nexternal = ["TBR"]\r\n'
            "[tool.other]\r\nx = 1 # one\r\n",
        ),
        (
            "[tool.ruff.lint]\nexternal = [\n    'V',  # vulture\n]\n",
            "[tool.ruff.lint]\nexternal = [\n    'V',  # vulture\n    \"TBR\",\n]\n",
        ),
        (
            "[tool.ruff]\nlint.extend-select = ['F']\n",
            "[tool.ruff]\nlint.extend-select = ['F']\nlint.external = [\"TBR\"]\n",
        ),
        ("[tool]\nruff = {line-length = 90}\n", '[tool]\nruff = {line-length = 90,lint = {external = ["TBR"]}}\n'),
    ],
    ids=["windows", "multi-line", "dotted", "inline"],
)
def test_19_write_keeps_formatting_and_comments(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(before.encode())
    (tmp_path / "a.py").write_text(UNUSED)
    done = tensorbranch("config", "ruff", "--write", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    written = (tmp_path / "pyproject.toml").read_bytes().decode()
    assert re.sub(r"\s+", " ", written) == re.sub(r"\s+", " ", after)
    assert written.count("\r\n") == (written.count("\n") if "\r\n" in before else 0)
    assert keeps(tmp_path, "a.py")


def test_19_codes_in_a_selector_of_ruff_are_a_fault_that_write_does_not_hide(tmp_path: Path) -> None:
    lint = f"[lint]\n{EXTERNAL}\nignore = ['E501', 'TBR1']\nper-file-ignores = {{'a.py' = ['TBR']}}\n"
    put(tmp_path, {"ruff.toml": lint, "a.py": UNUSED})
    assert ruff(cwd=tmp_path).status == 2
    for arguments in ([], ["--write"]):
        done = tensorbranch("config", "ruff", *arguments, cwd=tmp_path)
        assert (done.status, done.err) == (1, "")
        assert "ruff.toml: lint.ignore names TBR codes" in done.out
        assert "ruff.toml: lint.per-file-ignores names TBR codes" in done.out
    assert (tmp_path / "ruff.toml").read_text() == lint


def test_19_some_codes_external_is_not_enough(tmp_path: Path) -> None:
    put(tmp_path, {"ruff.toml": "[lint]\nexternal = ['TBR1', 'TBR2']\n", "a.py": UNUSED})
    done = tensorbranch("config", "ruff", cwd=tmp_path)
    assert done.status == 1
    assert "TBR301" in done.out
    assert "TBR101" not in done.out


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"ruff.toml": "lint = ["}, "ruff.toml: "),
        ({"ruff.toml": "extend = 'gone.toml'"}, "ruff.toml: extend: 'gone.toml': no such file"),
        ({"ruff.toml": "extend = 'ruff.toml'"}, "leads in a circle"),
    ],
)
def test_19_what_ruff_cannot_read_is_status_2(tmp_path: Path, files: dict[str, str], words: str) -> None:
    put(tmp_path, {**files, "a.py": UNUSED})
    done = tensorbranch("config", "ruff", cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert words in done.err


def test_19_the_configuration_of_the_user_counts_and_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {"home/ruff/ruff.toml": "line-length = 90\n", "work/a.py": UNUSED})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    done = tensorbranch("config", "ruff", "--write", cwd=tmp_path / "work")
    assert done.status == 1
    assert f"{tmp_path}/home/ruff/ruff.toml governs a.py" in done.out
    (tmp_path / "home/ruff/ruff.toml").write_text(f"[lint]\n{EXTERNAL}\n")
    assert tensorbranch("config", "ruff", cwd=tmp_path / "work").status == 0
    assert keeps(tmp_path / "work", "a.py")


@pytest.mark.parametrize(
    ("folder", "argument", "written"),
    [(".", ".", "ruff.toml"), ("elsewhere", "../src", "src/a/ruff.toml"), ("src", "a", "src/ruff.toml")],
)
def test_19_a_new_configuration_stands_where_the_command_runs(
    tmp_path: Path, folder: str, argument: str, written: str
) -> None:
    put(tmp_path, {"src/a/b.py": UNUSED, "elsewhere/x.txt": ""})
    assert tensorbranch("config", "ruff", "--write", argument, cwd=tmp_path / folder).status == 0
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.toml")] == [written]
    assert keeps(tmp_path / "src", "a/b.py")


def test_there_are_snippets_for_ruff() -> None:
    assert len(SNIPPETS) >= 3


@pytest.mark.parametrize("snippet", SNIPPETS)
@pytest.mark.parametrize("preview", [[], ["--preview"]], ids=["stable", "preview"])
def test_20_21_documented_snippets_load_in_ruff(tmp_path: Path, snippet: str, preview: list[str]) -> None:
    name = "pyproject.toml" if "[tool." in snippet else "ruff.toml"
    put(tmp_path, {name: snippet, "a.py": "X = 1\n"})
    # A missing docstring and the like are not the point: preview selects more rules.
    done = ruff("--exit-zero", *preview, "a.py", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert tensorbranch("config", "ruff", cwd=tmp_path).status == 0


@pytest.mark.parametrize("key", ["select", "ignore", "extend-select", "fixable"])
def test_21_our_codes_in_a_selector_stop_ruff(tmp_path: Path, key: str) -> None:
    put(tmp_path, {"ruff.toml": f"[lint]\n{EXTERNAL}\n{key} = ['TBR']\n", "a.py": "X = 1\n"})
    assert ruff("a.py", cwd=tmp_path).status == 2


OWN = """\
[tool.tensorbranch]
select = ["TBR1"]
words = ["mylib"]

[tool.tensorbranch.per-file-ignores]
"tests/*" = ["TBR101"]

[tool.ruff]
line-length = 90
"""


def test_22_ruff_accepts_a_project_with_our_section(tmp_path: Path) -> None:
    put(tmp_path, {"pyproject.toml": OWN, "a.py": "X = 1\n"})
    done = ruff("a.py", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert tensorbranch("check", "a.py", cwd=tmp_path)[::2] == (0, "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("selct = ['TBR1']", "unknown key 'selct'; did you mean 'select'?"),
        ("line-length = 90", "unknown key 'line-length'"),
        ("select = 'TBR1'", "select: 'TBR1' is not a list of strings"),
        ("select = ['TBR9']", "select: unknown rule selector 'TBR9'"),
        ("ignore = ['E501']", "ignore: unknown rule selector 'E501'"),
        ("per-file-ignores = {'x' = ['E5']}", "per-file-ignores: x: unknown rule selector 'E5'"),
        ("exclude = ['a{b']", "'a{b' is not a glob"),
        ("preview = 1", "preview: 1 is neither true nor false"),
        ("torch = 'new'", "torch: 'new'"),
        ("compiled = ['a/b']", "compiled: 'a/b'"),
        ("confidence = 'high'", "confidence: 'high'"),
        ("target-version = 'py2'", "target-version: 'py2'"),
        ("output-format = 'xml'", "output-format: 'xml' is none of"),
        ("extend = 'gone.toml'", "extend: 'gone.toml': no such file"),
        ("select = [", "pyproject.toml: "),
    ],
)
def test_22_a_wrong_key_or_value_is_status_2_and_named(tmp_path: Path, line: str, words: str) -> None:
    put(tmp_path, {"pyproject.toml": f"[tool.tensorbranch]\n{line}\n", "a.py": "import torch\n"})
    done = tensorbranch("check", "a.py", cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert words in done.err
    assert "pyproject.toml" in done.err


def test_every_code_is_of_the_prefix_that_is_made_external() -> None:
    assert all(code.startswith("TBR") for code in pages())


def test_19_write_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(
        tmp_path,
        {"ruff.toml": "", "a.py": UNUSED, "site/sitecustomize.py": "import sys\nsys.modules['tomlkit'] = None\n"},
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'site'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    done = run("flake8_tensorbranch", "config", "ruff", "a.py", "--write", cwd=tmp_path)
    assert done.status == 2
    assert "--write needs tomlkit: pip install 'flake8-tensorbranch[cli]'" in done.err
    assert run("flake8_tensorbranch", "config", "ruff", "a.py", cwd=tmp_path).status == 1
