"""Configuration files: which one governs, what it inherits, what it says of a file, and what is said of a wrong one."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from flake8_tensorbranch import output
from flake8_tensorbranch.config.files import loads
from flake8_tensorbranch.config.globs import Glob, Globs
from flake8_tensorbranch.config.keys import FORMATS, KEYS, Key, value
from flake8_tensorbranch.config.resolver import Overrides, Resolver
from flake8_tensorbranch.diagnostic import Confidence
from flake8_tensorbranch.plugin import Plugin
from flake8_tensorbranch.settings import SettingsError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def words(path: str, *config: str) -> tuple[str, ...]:
    return Resolver(Overrides(config=config)).for_file(path).analysis.words


def test_nothing_configured_is_the_default() -> None:
    settings = Resolver().for_file("a.py")
    assert settings.analysis == Resolver(Overrides(isolated=True)).for_file("b/c.py").analysis
    assert settings.config is None
    assert settings.reports("TBR101")
    assert settings.reports("invalid-syntax")
    assert settings.fixable("TBR506")
    assert settings.analysis.enable == ()


def test_the_closest_file_governs_and_nothing_is_merged() -> None:
    put("pyproject.toml", "[tool.tensorbranch]\nwords = ['top']\ntorch = '2.9'\n")
    put("a/tensorbranch.toml", "words = ['a']\n")
    put("a/b/pyproject.toml", "[tool.other]\nx = 1\n")
    put("a/b/c/.tensorbranch.toml", "words = ['hidden']\n")
    put("a/b/c/tensorbranch.toml", "words = ['never']\n")
    assert words("x.py") == ("top",)
    assert words("a/x.py") == words("a/b/x.py") == ("a",)
    assert words("a/b/c/d/x.py") == ("hidden",)
    assert Resolver().for_file("a/x.py").analysis.torch_version is None
    assert Resolver().for_file("a/x.py").config == os.path.abspath("a/tensorbranch.toml")


def test_extend_inherits_and_paths_start_where_they_are_written() -> None:
    put("base/tensorbranch.toml", "words = ['base']\ntorch = '2.9'\nsrc = ['lib']\nextend-exclude = ['old']\n")
    put("base/tensorbranch.toml", Path("base/tensorbranch.toml").read_text() + "exclude = ['only/*']\n")
    put("a/tensorbranch.toml", "extend = '../base/tensorbranch.toml'\nwords = ['a']\nextend-exclude = ['gen/*']\n")
    settings = Resolver().for_file("a/x.py")
    assert (settings.analysis.words, settings.analysis.torch_version) == (("a",), "2.9")
    assert settings.analysis.src == (os.path.abspath("base/lib"),)
    holds = Resolver().for_folder(os.path.abspath("a"))
    for path, excluded in (
        ("a/old", True),
        ("a/gen/x.py", True),
        ("base/only/x.py", True),
        ("a/only/x.py", False),
        ("a/.venv", False),
    ):
        assert holds.excludes(os.path.abspath(path)) == excluded, path


def test_extend_through_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    put("base/any.toml", "words = ['base']\n")
    monkeypatch.setenv("BASE", os.path.abspath("base"))
    put("tensorbranch.toml", "extend = '$BASE/any.toml'\n")
    assert words("x.py") == ("base",)


@pytest.mark.parametrize("name", ["tensorbranch.toml", "a/../tensorbranch.toml"])
def test_a_circle_is_an_error(name: str) -> None:
    put("tensorbranch.toml", f"extend = '{name}'\n")
    with pytest.raises(SettingsError, match=r"^tensorbranch\.toml: extend: .* leads in a circle$"):
        Resolver()


def test_options_go_over_pairs_over_files() -> None:
    put("tensorbranch.toml", "words = ['file']\nconfidence = 'certain'\ntorch = '2.8'\n")
    put("other.toml", "words = ['other']\n")
    assert words("x.py", "words=['pair']", "words=['later']") == ("pair",)
    assert words("x.py", "other.toml") == ("other",)
    assert words("x.py", "other.toml", "words=['pair']") == ("pair",)
    resolver = Resolver(Overrides({"words": ("option",)}, ("words=['pair']", "torch='2.9'")))
    settings = resolver.for_file("x.py").analysis
    assert (settings.words, settings.torch_version, settings.confidence) == (("option",), "2.9", Confidence.CERTAIN)


@pytest.mark.parametrize(
    ("config", "isolated", "message"),
    [
        (("a.toml", "b.toml"), False, "more than one configuration file"),
        (("a.toml",), True, "cannot be used with --isolated"),
        (("gone.toml",), False, "--config: 'gone.toml': no such file"),
        (("words = [",), False, "is neither a file nor TOML"),
        (("wrds = []",), False, "unknown key 'wrds'; did you mean 'words'"),
    ],
)
def test_a_wrong_config_option(config: tuple[str, ...], isolated: bool, message: str) -> None:
    put("a.toml", "")
    put("b.toml", "")
    with pytest.raises(SettingsError, match=message):
        Resolver(Overrides(config=config, isolated=isolated))


def test_globs_of_a_named_file_and_of_what_it_extends_start_from_the_current_folder() -> None:
    put("cfg/base.toml", "[per-file-ignores]\n'sub/x.py' = ['TBR1']\n")
    put("cfg/named.toml", "extend = 'base.toml'\n")
    for name in ("base", "named"):
        resolver = Resolver(Overrides(config=(f"cfg/{name}.toml",)))
        assert [resolver.for_file(path).reports("TBR101") for path in ("sub/x.py", "cfg/sub/x.py")] == [False, True]


def test_a_byte_order_mark_is_no_text() -> None:
    Path("tensorbranch.toml").write_text("\ufeffwords = ['a']\n", encoding="utf-8")
    assert words("x.py") == ("a",)


def test_isolated_takes_pairs() -> None:
    put("tensorbranch.toml", "words = ['file']\n")
    overrides = Overrides(config=("torch = '2.9'",), isolated=True)
    assert Resolver(overrides).for_file("x.py").analysis.words == ()
    assert Resolver(overrides).for_file("x.py").analysis.torch_version == "2.9"


def test_ruff_gives_what_is_about_files_and_python_alone() -> None:
    put(
        "ruff.toml",
        "target-version = 'py39'\nsrc = ['lib']\nexclude = ['gen']\nextend-exclude = ['old']\nextend = 'base.toml'\n"
        "fix = true\noutput-format = 'json'\nforce-exclude = true\n[lint]\nselect = ['F']\nignore = ['F4']\n",
    )
    put("base.toml", "extend-exclude = ['older']\n")
    resolver = Resolver()
    settings = resolver.for_file("x.py")
    assert settings.target_version == (3, 9)
    assert settings.analysis.src == (os.path.abspath("lib"),)
    assert settings.reports("TBR101")
    assert (resolver.run.fix, resolver.run.output_format, resolver.run.force_exclude) == (False, "full", False)
    excludes = resolver.for_folder(os.getcwd()).excludes
    assert [excludes(os.path.abspath(name)) for name in ("gen", "old", "older", "dist")] == [True, True, True, False]
    put("tensorbranch.toml", "target-version = 'py312'\nexclude = []\n")
    settings = Resolver().for_file("x.py")
    assert settings.target_version == (3, 12)
    excludes = Resolver().for_folder(os.getcwd()).excludes
    assert [excludes(os.path.abspath(name)) for name in ("gen", "old")] == [False, True]


@pytest.mark.parametrize(
    "text", ["target-version = 'py2'\nsrc = 3\n", "[broken", "extend = 'gone.toml'", "extend = 'ruff.toml'"]
)
def test_what_is_wrong_with_ruff_is_ruffs_affair(text: str) -> None:
    put("ruff.toml", text)
    assert Resolver().for_file("x.py").target_version is None


def test_opt_in_rules_are_asked_for() -> None:
    def enabled(text: str) -> tuple[bool, bool]:
        put("tensorbranch.toml", text)
        settings = Resolver().for_file("x.py")
        return settings.analysis.is_enabled("TBR211", opt_in=True), settings.reports("TBR211")

    assert enabled("") == (False, True)
    assert enabled("enable = ['TBR2']") == (True, True)
    assert enabled("preview = true") == (True, True)
    assert enabled("select = ['TBR211']") == (True, True)
    assert enabled("extend-select = ['TBR2']") == (True, True)
    assert enabled("enable = ['TBR2']\nignore = ['TBR211']") == (True, False)
    assert enabled("extend-select = ['TBR2']\nignore = ['TBR211']") == (False, False)
    assert enabled("enable = ['TBR2']\nselect = ['TBR1']") == (True, False)


def test_a_failed_analysis_is_reported_unless_named() -> None:
    for text, reported in (("select = ['TBR1']", True), ("ignore = ['TBR']", True), ("ignore = ['TBR000']", False)):
        put("tensorbranch.toml", text)
        assert Resolver().for_file("x.py").reports("TBR000") == reported, text


def test_fixes_are_resafed_by_the_longer_selector() -> None:
    put("tensorbranch.toml", "extend-safe-fixes = ['TBR5', 'TBR101']\nextend-unsafe-fixes = ['TBR506', 'TBR1']\n")
    settings = Resolver().for_file("x.py")
    assert {"TBR501", "TBR101"} <= settings.safe_fixes
    assert {"TBR506", "TBR102"} <= settings.unsafe_fixes
    assert not settings.safe_fixes & settings.unsafe_fixes


def test_the_formats_are_those_there_are() -> None:
    assert set(FORMATS) == set(output.FORMATS)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_each_keys_example_is_a_value_of_it(key: Key) -> None:
    name, example = key.name, key.example
    given = loads(f"{name} = {example}")
    assert list(given) == [name]
    assert value(name, given[name], name) is not None


@pytest.mark.parametrize(
    ("pattern", "fits", "fails"),
    [
        ("x.py", ["/p/x.py", "/q/r/x.py"], ["/p/ax.py", "/p/x.pyi"]),
        ("sub/x.py", ["/p/sub/x.py"], ["/p/a/sub/x.py", "/q/sub/x.py"]),
        ("*.py", ["/p/x.py", "/q/y.py"], ["/p/x.pyi"]),
        ("sub/*.py", ["/p/sub/x.py", "/p/sub/deep/x.py"], ["/p/x.py"]),
        ("**/x.py", ["/p/x.py", "/p/a/b/x.py"], ["/p/y.py"]),
        ("a/**/x.py", ["/p/a/x.py", "/p/a/b/c/x.py"], ["/p/b/x.py"]),
        ("a/**", ["/p/a/x", "/p/a/b/c"], ["/p/a"]),
        ("[!a]?.{py,pyi}", ["/p/bx.py", "/p/cy.pyi"], ["/p/ax.py", "/p/bx.txt"]),
        ("/abs/x.py", ["/abs/x.py"], ["/p/abs/x.py"]),
        ("../x/y.py", ["/x/y.py"], ["/p/x/y.py"]),
        ("a.b", ["/p/a.b"], ["/p/axb"]),
        ("[a^b].py", ["/p/^.py"], ["/p/c.py"]),
        (r"\*.py", ["/p/*.py"], ["/p/a.py"]),
    ],
)
def test_globs(pattern: str, fits: list[str], fails: list[str]) -> None:
    glob = Glob.of(pattern, "/p", "exclude")
    assert [path for path in fits if not glob.fits(path)] == []
    assert [path for path in fails if glob.fits(path)] == []
    many = Globs()
    many.add(pattern, "/p", "exclude")
    assert [many.fit(path) for path in (*fits, *fails)] == [glob.fits(path) for path in (*fits, *fails)]


def test_a_folder_with_special_characters_stands_for_itself() -> None:
    glob = Glob.of("x/*.py", "/p[1]/{a}*", "exclude")
    assert glob.fits("/p[1]/{a}*/x/y.py")
    assert not glob.fits("/p1/{a}b/x/y.py")


@pytest.mark.parametrize("pattern", ["a{b", "[ab", "{a,{b}"])
def test_a_glob_that_is_none_is_named(pattern: str) -> None:
    with pytest.raises(SettingsError, match=r"^extend-exclude: .* is not a glob: "):
        Glob.of(pattern, "/p", "extend-exclude")


MENTIONS = "import mylib\n"


def plugin_rows(path: str, text: str = MENTIONS) -> list[str]:
    return [row[2] for row in Plugin(ast.parse(text), text.splitlines(keepends=True), path).run()]


def test_the_plugin_sees_a_changed_file_at_once() -> None:
    """A process that lives on, as an editor's does."""
    path = os.path.abspath("a/x.py")
    wrong = "this file is not analysed: a/tensorbranch.toml: unknown key "
    assert plugin_rows(path) == []
    put("a/tensorbranch.toml", "wrd = 1\n")
    assert plugin_rows(path) == [f"TBR000 {wrong}'wrd'; did you mean 'words'?"]
    put("a/tensorbranch.toml", "wrds = 1\n")
    assert plugin_rows(path) == [f"TBR000 {wrong}'wrds'; did you mean 'words'?"]
    Path("a/tensorbranch.toml").unlink()
    assert plugin_rows(path) == []


@pytest.mark.parametrize("text", ["words = 1", "\x00", "[tool", "extend = 'gone.toml'", "words = ['\ud800']"])
def test_the_plugin_never_raises_for_a_configuration(text: str) -> None:
    Path("tensorbranch.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    (row,) = plugin_rows("x.py", "import torch\n")
    assert row.startswith("TBR000 this file is not analysed: tensorbranch.toml")
    assert row.isprintable()


def test_a_configuration_that_is_a_folder_or_unreadable() -> None:
    Path("tensorbranch.toml").mkdir()
    (row,) = plugin_rows("x.py", "import torch\n")
    assert "tensorbranch.toml: " in row
