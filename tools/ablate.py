"""What each power of the engine is worth: take one away, lint again, and count the findings that go and that come.

    python tools/ablate.py FOLDER [POWER ...]

FOLDER holds libraries as unpacked wheels do. Every rule is on, and one process lints the whole folder for each power,
so the figures are those of one state of the engine over one corpus. Prints a Markdown table, the one of
docs/inference.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.config.resolver import Overrides, Resolver
from flake8_tensorbranch.files import Unreadable, read
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.syntax.tree import TreeError
from flake8_tensorbranch.walk import Walk

INFERENCE = "flake8_tensorbranch.engine.inference."
EVERYTHING = Settings(enable=("TBR",))

Finding = tuple[str, int, int, str]


def gives(value: Any) -> Callable[..., Any]:
    """A function that answers `value` to everything."""
    return lambda *_args, **_keywords: value


class Power(NamedTuple):
    """A power by name, the attribute it hangs on (`module:path`), and what takes its place."""

    name: str
    at: str
    instead: Callable[..., Any] | int


POWERS = (
    Power("evidence from use", INFERENCE + "parameters:evidence", gives({})),
    Power("docstrings", INFERENCE + "parameters:_documented", gives({})),
    Power("call sites in the file", INFERENCE + "program:ROUNDS", 0),
    Power("call sites in files near", INFERENCE + "callers:passed", gives([])),
    Power("names that other functions write", INFERENCE + "rebinding:writers", gives({})),
    Power("objects told apart", INFERENCE + "classes:Classes._keeps", gives([])),
    Power("constructors, where their file builds the class", INFERENCE + "classes:Classes.constructed", gives({})),
    Power("constructors, through `super().__init__`", INFERENCE + "classes:Classes.passed_up", gives({})),
    Power("other files", "flake8_tensorbranch.project:Project.load", gives(None)),
    Power("nested questions (fuel 1)", INFERENCE + "summary:FUEL", 1),
    Power("nested questions (fuel 3)", INFERENCE + "summary:FUEL", 3),
    Power("affirmed suppositions", INFERENCE + "summary:affirmed", lambda value: value),
    Power("flags settled by which `return` is taken", INFERENCE + "summary:deciding", gives(0)),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; with `--child`, one power in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("powers", nargs="*", metavar="POWER")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.child:
        for power in POWERS:
            if power.name in options.powers:
                take_away(power)
        print(json.dumps(sorted(findings(options.folder))))
        return 0
    whole = measured(options.folder)
    print("| without | findings | - | + |\n|---|---|---|---|")
    print(f"| nothing | {len(whole)} | | |")
    for power in POWERS:
        if not options.powers or power.name in options.powers:
            found = measured(options.folder, power.name)
            print(f"| {power.name} | {len(found)} | {len(whole - found)} | {len(found - whole)} |", flush=True)
    return 0


def take_away(power: Power) -> None:
    """Replace the attribute; raises `AttributeError` where the engine no longer has it."""
    module, _, path = power.at.partition(":")
    *owners, name = path.split(".")
    owner: Any = import_module(module)
    for part in owners:
        owner = getattr(owner, part)
    getattr(owner, name)
    setattr(owner, name, power.instead)


def measured(folder: str, *powers: str) -> set[Finding]:
    """What is found without the powers, in a process of its own."""
    command = [sys.executable, __file__, "--child", folder, *powers]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return {(path, line, column, code) for path, line, column, code in json.loads(done.stdout)}


def findings(folder: str) -> Iterator[Finding]:
    """Everything found in the folder."""
    project = Project()
    for path in Walk(Resolver(Overrides(isolated=True))).files([folder]):
        source = read(path)
        if not isinstance(source, Unreadable):
            try:
                found = check_source(source, EVERYTHING, project=project)
            except TreeError:
                continue
            yield from ((path, item.line, item.column, item.code) for item in found)


if __name__ == "__main__":
    sys.exit(main())
