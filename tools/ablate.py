"""What each power of the engine is worth: take one away, lint again, and count the findings that go and that come.

    python tools/ablate.py FOLDER [--lines FILE ...] [POWER ...]

FOLDER holds libraries as unpacked wheels do. Every rule is on, and one process lints the whole folder for each power,
so the figures are those of one state of the engine over one corpus. Prints a Markdown table, the one of
docs/inference.md.

With `--lines`, only the files named there are linted, everything in them declared compiled, and the table says how many
of the lines are found: each row of FILE is a JSON object with `file` (below FOLDER), `line` and, if the statement has
more than one, `end_line`.
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
COMPILED = Settings(enable=("TBR",), compiled=("*",))

Finding = tuple[str, int, int, str]
Row = tuple[str, int, int]


def gives(value: Any) -> Callable[..., Any]:
    """A function that answers `value` to everything."""
    return lambda *_args, **_keywords: value


class Power(NamedTuple):
    """A power by name, the attribute it hangs on (`module:path`), and what takes its place."""

    name: str
    at: str
    instead: Callable[..., Any] | int


POWERS = (
    Power("evidence from use", INFERENCE + "tensoruses:evidence", gives({})),
    Power("docstrings", INFERENCE + "parameters:_documented", gives({})),
    Power("call sites in the file", INFERENCE + "program:ROUNDS", 0),
    Power("call sites in files near", INFERENCE + "callers:passed", gives([])),
    Power("names that other functions write", INFERENCE + "rebinding:writers", gives({})),
    Power("objects told apart", INFERENCE + "classes:Classes._keeps", gives([])),
    Power("constructors, where their file builds the class", INFERENCE + "classes:Classes.constructed", gives({})),
    Power("constructors, through `super().__init__`", INFERENCE + "classes:Classes.passed_up", gives({})),
    Power("template methods", INFERENCE + "dispatch:handed", gives({})),
    Power("numbers that files near pass", INFERENCE + "readings:handed", gives({})),
    Power("tensors that other packages pass for numbers", INFERENCE + "overdeclared:handed", gives({})),
    Power("numbers that files near pass to methods", INFERENCE + "meters:handed", gives({})),
    Power("numbers that objects are handed", INFERENCE + "parameters:reads_given", gives([])),
    Power("numbers that objects of other files are handed", INFERENCE + "updates:_updated", gives(())),
    Power("evidence through calls", INFERENCE + "tensoruses:_handed", gives(())),
    Power("containers in containers", INFERENCE + "storing:_regrow", gives(None)),
    Power("numbers kept by constructors, told apart", INFERENCE + "classes:settled", lambda value: value),
    Power("flags handed on as plain state", INFERENCE + "rebinding:settled_flag", lambda value: value),
    Power("objects that are dictionaries", INFERENCE + "keyed:is_dictionary", gives(False)),
    Power("libraries beside torch", INFERENCE + "frameworks:family", gives("")),
    Power("registries", INFERENCE + "registries:_filed", lambda *args: args[3]),
    Power("subclasses of what is left open", INFERENCE + "heirs:heirs", gives([])),
    Power("declared tensors looked into", INFERENCE + "summary:only_tensors", gives(True)),
    Power("other files", "flake8_tensorbranch.project:Project.load", gives(None)),
    Power("nested questions (fuel 1)", INFERENCE + "summary:FUEL", 1),
    Power("nested questions (fuel 3)", INFERENCE + "summary:FUEL", 3),
    Power("affirmed suppositions", INFERENCE + "summary:affirmed", lambda value: value),
    Power("flags settled by which `return` is taken", INFERENCE + "outcomes:_deciding", gives(0)),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; with `--child`, one power in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("powers", nargs="*", metavar="POWER")
    parser.add_argument("--lines", action="append", metavar="FILE", default=[], help="lines that are to be found")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args(argv)
    lines = [rows(options.folder, path) for path in options.lines]
    if options.child:
        for power in POWERS:
            if power.name in options.powers:
                take_away(power)
        files = sorted({file for of_one in lines for file, _, _ in of_one})
        print(json.dumps(sorted(findings(files or [options.folder], COMPILED if lines else EVERYTHING))))
        return 0
    chosen = [power for power in POWERS if not options.powers or power.name in options.powers]
    command = [options.folder, *(f"--lines={path}" for path in options.lines)]
    whole = measured(command)
    named = "".join(f" {os.path.basename(path)} |" for path in options.lines)
    print(f"| without | findings | - | + |{named}\n|---|---|---|---|" + "---|" * len(lines))
    print(f"| nothing | {len(whole)} | | |" + met(whole, lines))
    for power in chosen:
        found = measured([*command, power.name])
        counts = f"| {power.name} | {len(found)} | {len(whole - found)} | {len(found - whole)} |"
        print(counts + met(found, lines), flush=True)
    return 0


def rows(folder: str, path: str) -> set[Row]:
    """The lines of a file of `--lines`, whose files exist: path, first, last line; raises `OSError`, `ValueError`."""
    found = set()
    with open(path, encoding="utf-8") as file:
        for text in file:
            row = json.loads(text)
            place = os.path.join(folder, row["file"])
            if os.path.exists(place):
                first = row.get("stmt_line") or row["line"]
                found.add((place, int(first), int(row.get("end_line") or row["line"])))
    return found


def met(found: set[Finding], lines: Sequence[set[Row]]) -> str:
    """The cells that say of how many rows some line is found."""
    at: dict[str, set[int]] = {}
    for path, line, _, _ in found:
        at.setdefault(path, set()).add(line)
    counts = [sum(any(n in at.get(p, ()) for n in range(a, b + 1)) for p, a, b in of_one) for of_one in lines]
    return "".join(f" {count}/{len(of_one)} |" for count, of_one in zip(counts, lines, strict=True))


def take_away(power: Power) -> None:
    """Replace the attribute; raises `AttributeError` where the engine no longer has it."""
    module, _, path = power.at.partition(":")
    *owners, name = path.split(".")
    owner: Any = import_module(module)
    for part in owners:
        owner = getattr(owner, part)
    getattr(owner, name)
    setattr(owner, name, power.instead)


def measured(arguments: Sequence[str]) -> set[Finding]:
    """What is found with these arguments, in a process of its own."""
    command = [sys.executable, __file__, "--child", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return {(path, line, column, code) for path, line, column, code in json.loads(done.stdout)}


def findings(paths: Sequence[str], settings: Settings) -> Iterator[Finding]:
    """Everything found in files and folders."""
    project = Project()
    for path in Walk(Resolver(Overrides(isolated=True))).files(paths):
        source = read(path)
        if not isinstance(source, Unreadable):
            try:
                found = check_source(source, settings, project=project)
            except TreeError:
                continue
            yield from ((path, item.line, item.column, item.code) for item in found)


if __name__ == "__main__":
    sys.exit(main())
