"""Statement 33: our lists of codes mean what the same lists of F codes mean to ruff.

TBR401 to TBR407 and TBR501 to TBR509 stand for F401 to F407 and F501 to F509, prefixes likewise, `TBR` for `F`. One
ruff process judges many folders, each with a configuration of its own.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flake8_tensorbranch.cli import flags
from flake8_tensorbranch.cli.parser import parser

# Violates every code of the universe; F401 and F504 have a fix.
VIOLATIONS = """\
import os
import sys as loop
from nope import *
from __future__ import annotations
from __future__ import nonexistent

def f():
    from other import *

for loop in ():
    undefined_here()
"%(" % {}
"%(a)s" % [1]
"%s %s" % {"a": 1}
"%(a)s" % {"a": 1, "b": 2}
"%(a)s" % {"b": 1}
"%(a)s %s" % (1,)
"%s %s" % (1,)
"%(a)*s" % {"a": 1}
"%s %j" % (1,)
"""
# F403 and F405 are not among ruff's default rules.
UNIVERSE = frozenset("F401 F402 F404 F406 F407 F501 F502 F503 F504 F505 F506 F507 F508 F509".split())
FIXABLE = frozenset({"F401", "F504"})
SELECTORS = ("ALL", "F", "F4", "F5", "F40", "F50", *sorted(UNIVERSE))
GLOBS = ("x.py", "y.py", "*.py", "sub/*", "sub/x.py", "**/x.py", "su[ab]/*.py", "{x,z}.py", "s*", "no", "d?", "*")
FOLDERS = 40
FILES = ("x.py", "y.py", "sub/x.py", "sub/deep/y.py")

Config = dict[str, Any]


def some_codes(rng: random.Random, most: int = 3) -> list[str]:
    return rng.choices(SELECTORS, k=rng.randint(0, most))


def some_files(rng: random.Random) -> dict[str, list[str]]:
    return {rng.choice(("", "", "!")) + glob: some_codes(rng, 2) for glob in rng.sample(GLOBS, k=rng.randint(1, 2))}


def some_config(rng: random.Random) -> Config:
    """A configuration by our keys, in F codes."""
    config: Config = {}
    for key, chance in (("select", 0.6), ("ignore", 0.6), ("extend-select", 0.3)):
        if rng.random() < chance:
            config[key] = some_codes(rng)
    for key, chance in (("fixable", 0.4), ("unfixable", 0.4), ("extend-fixable", 0.2)):
        if rng.random() < chance:
            config[key] = some_codes(rng, 2)
    for key, chance in (("per-file-ignores", 0.4), ("extend-per-file-ignores", 0.2)):
        if rng.random() < chance:
            config[key] = some_files(rng)
    return config


def ours(text: str) -> str:
    """The F codes and prefixes of a text as TBR's."""
    return re.sub(r"\bF(?=\d{0,3}\b)", "TBR", text)


def as_toml(config: Config, section: str = "") -> str:
    lines = [f"[{section}]"] if section else []
    for key, value in config.items():
        if isinstance(value, dict):
            value = "{" + ", ".join(f'"{name}" = {json.dumps(codes)}' for name, codes in value.items()) + "}"
        else:
            value = json.dumps(value)
        lines.append(f"{key} = {value}")
    return "\n".join(lines) + "\n"


def write(folder: Path, config: Config, parent: Config | None) -> None:
    """The configuration for both tools, inheriting from `parent` if there is one, and the files it governs."""
    for name in FILES:
        folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(name).write_text(VIOLATIONS)
    extend = "" if parent is None else 'extend = "base/{}"\n'
    folder.joinpath("ruff.toml").write_text(extend.format("ruff.toml") + as_toml(config, "lint"))
    folder.joinpath("tensorbranch.toml").write_text(ours(extend.format("tensorbranch.toml") + as_toml(config)))
    if parent is not None:
        folder.joinpath("base").mkdir()
        folder.joinpath("base", "ruff.toml").write_text(as_toml(parent, "lint"))
        folder.joinpath("base", "tensorbranch.toml").write_text(ours(as_toml(parent)))


def by_ruff(root: Path, arguments: list[str]) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """The codes of the universe that ruff reports in each file, and those it would fix."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=json", *arguments, "."],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, tuple[set[str], set[str]]] = {}
    for item in json.loads(done.stdout):
        codes, fixed = found.setdefault(item["filename"], (set(), set()))
        codes.add(item["code"])
        if item["fix"] is not None:
            fixed.add(item["code"])
    return {name: (UNIVERSE & codes, FIXABLE & codes & fixed) for name, (codes, fixed) in found.items()}


def by_us(root: Path, arguments: list[str]) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    resolver = flags.resolver(parser().parse_args(["check", *map(ours, arguments)]))
    for folder in sorted(root.glob("d*")):
        for name in FILES:
            settings = resolver.for_file(str(folder / name))
            codes = frozenset(code for code in UNIVERSE if settings.reports(ours(code)))
            yield str(folder / name), codes, frozenset(c for c in codes & FIXABLE if settings.fixable(ours(c)))


ARGUMENTS = [
    [],
    ["--select=F4"],
    ["--ignore=F401,F5"],
    ["--extend-select=F50", "--ignore=F501"],
    ["--select=F", "--ignore=F40", "--extend-select=F404"],
    ["--select=F4,F501", "--select=F502", "--extend-ignore=F4"],
    ["--config=lint.fixable=['F4']"],
    ["--config=lint.unfixable=['F50']", "--config=lint.extend-fixable=['F504']"],
    ["--per-file-ignores=x.py:F4,x.py:F501,d1/sub/*:F502"],
    ["--extend-per-file-ignores=!y.py:F50"],
    ["--config=lint.select=['F40']", "--config=lint.ignore=['F401']"],
    ["--config=lint.ignore=['F']", "--select=F4"],
]


@pytest.fixture(scope="module", params=range(2))
def root(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders with configurations, every third of them inheriting from another."""
    rng = random.Random(request.param)
    top = tmp_path_factory.mktemp("configs")
    for number in range(FOLDERS):
        folder = top / f"d{number}"
        folder.mkdir()
        write(folder, some_config(rng), some_config(rng) if number % 3 == 0 else None)
    return top


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=" ".join)
def test_33_codes_are_selected_as_ruff_selects_them(
    root: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    theirs = by_ruff(root, arguments)
    assert theirs
    wrong = []
    for path, codes, fixed in by_us(root, [part.replace("lint.", "") for part in arguments]):
        if (codes, fixed) != theirs.get(path, (frozenset(), frozenset())):
            folder = root / Path(path).relative_to(root).parts[0]
            base = folder / "base/ruff.toml"
            told = folder.joinpath("ruff.toml").read_text() + (base.read_text() if base.exists() else "")
            wrong.append((Path(path).name, told, codes, fixed, theirs.get(path)))
    assert wrong == []


def test_33_the_comparison_sees_differences(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among the configurations are those that report all, nothing, and something else in files side by side."""
    monkeypatch.chdir(root)
    found = {codes for _, codes, _ in by_us(root, [])}
    assert {frozenset(), UNIVERSE} <= found
    assert len(found) > FOLDERS / 2
