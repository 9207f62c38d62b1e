"""What the plugin costs, as ratios measured in one run on one machine.

    python tools/bench.py FOLDER [--rounds 3] [--json] [--linear FILES]

added      CPU that the plugin adds to `flake8 -j1` over the folder, as a share of flake8's own: the same command with
           and without the plugin's entry point, in turn, the least of several rounds each.
gate       the same for one file that does not mention torch; and CPU of the gate itself for each file of the folder
           that does not, whose imports it follows.
import     CPU of importing the plugin, and of importing the analysis, beside that of importing flake8.
save       a lint of one small file in a process that lives on, as in VS Code's flake8 server.
analysis   CPU of the analysis over the files that pass the gate, beside `ast.parse` of the same files; and where it
           goes, by room (own time under the profiler, so these are shares, not times).
--linear   instead of all that: CPU of the analysis of so many files, drawn and ordered by chance, in one process,
           beside the sum of what each costs in a process of its own that has imported the analysis and nothing else
           (forked, so not on Windows).
"""

from __future__ import annotations

import argparse
import ast
import cProfile
import json
import os
import pstats
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import flake8_tensorbranch
from flake8_tensorbranch.config.resolver import Overrides, Resolver
from flake8_tensorbranch.files import Unreadable, read
from flake8_tensorbranch.gate import passes
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.walk import Walk

PACKAGE = Path(flake8_tensorbranch.__file__).parent
DISTRIBUTION = "flake8-tensorbranch"
# flake8, as its command starts it; with "off" it does not see our distribution.
FLAKE8 = f"""
import importlib.metadata, sys
if sys.argv.pop(1) == "off":
    every = importlib.metadata.distributions
    importlib.metadata.distributions = lambda **kw: (d for d in every(**kw) if d.metadata["name"] != "{DISTRIBUTION}")
from flake8.main.cli import main
raise SystemExit(main(sys.argv[1:]))
"""
# The same in a process that lives on, as an editor's server does: the usual CPU seconds of one of its later lints.
LIVES_ON = (
    FLAKE8.replace("raise SystemExit(main(sys.argv[1:]))", "")
    # Reading every distribution's metadata for each lint would cost more than flake8: their folders tell the name.
    .replace(f'd.metadata["name"] != "{DISTRIBUTION}"', f'"{DISTRIBUTION.replace("-", "_")}-" not in str(d._path)')
    + """
import contextlib, io, statistics, time
seconds = []
for _ in range(41):
    began = time.process_time()
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        main(sys.argv[1:])
    seconds.append(time.process_time() - began)
print(statistics.median(seconds[1:]))
"""
)
IMPORTS = """
import time
began = time.process_time()
import flake8.main.cli
host = time.process_time()
import flake8_tensorbranch.plugin
plugin = time.process_time()
import flake8_tensorbranch.check
print(host - began, plugin - host, time.process_time() - plugin)
"""


SAVED = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layer(x)
        if y.abs().max() > 1:
            y = y / y.abs().max()
        return x + y
"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--linear", type=int, metavar="FILES")
    options = parser.parse_args()
    if options.linear is None:
        rows = dict(measure(options.folder, options.rounds))
    else:
        rows = dict(linearity(options.folder, options.linear))
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        width = max(map(len, rows))
        for name, value in rows.items():
            print(f"{name:<{width}}  {value:10.3f}" if isinstance(value, float) else f"{name:<{width}}  {value:10}")
    return 0


def measure(folder: str, rounds: int) -> Iterator[tuple[str, float | int]]:
    """Every figure by name; names end in what they count."""
    own, added = compare_flake8([folder], rounds)
    yield "flake8 over the folder, s", own
    yield "added by the plugin, s", added
    yield "added by the plugin, % of flake8", 100 * added / own
    with tempfile.TemporaryDirectory() as scratch:
        plain = Path(scratch, "plain.py")
        plain.write_text("import os\n\nprint(os.name)\n" * 20)
        own, added = compare_flake8([str(plain)], 3 * rounds)
    yield "flake8 on a file without torch, ms", 1000 * own
    yield "added by the plugin, ms", 1000 * added
    for name, text in (("without", "import os\n\nprint(os.name)\n" * 20), ("with", SAVED)):
        own, added = compare_saves(text, rounds)
        yield f"a save {name} torch, in a server, ms", 1000 * own
        yield f"added by the plugin to a save {name} torch, ms", 1000 * added
    host, plugin, analysis = least(imports() for _ in range(2 * rounds + 1))
    yield "import flake8, ms", 1000 * host
    yield "import the plugin, ms", 1000 * plugin
    yield "import the analysis, ms", 1000 * analysis
    sources, outside, followed = readable(folder)
    yield "files outside the gate", outside
    yield "files analysed", len(sources)
    yield "of them by their imports alone", sum(not source.mentions(Settings().gate_words) for source in sources)
    yield "the gate, ms for a file without torch", followed
    if sources:
        yield from compare_parse(sources, rounds)
        yield from rooms(sources)


def compare_flake8(paths: list[str], rounds: int) -> tuple[float, float]:
    """CPU seconds of flake8's own work and of what the plugin adds to it."""
    turns = [[flake8_cpu(state, paths) for state in ("off", "on")] for _ in range(rounds)]
    off, on = least(turns)
    return off, on - off


def compare_saves(text: str, rounds: int) -> tuple[float, float]:
    """CPU seconds of one lint of a file with this text in a process that lives on: flake8's own, and the plugin's."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "saved.py")
        file.write_text(text)
        turns = [[_lives_on(state, file) for state in ("off", "on")] for _ in range(rounds)]
    off, on = least(turns)
    return off, on - off


def _lives_on(state: str, file: Path) -> float:
    command = [sys.executable, "-c", LIVES_ON, state, "--isolated", "-j1", str(file)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def flake8_cpu(state: str, paths: list[str]) -> float:
    """CPU seconds, user and system, of one flake8 process."""
    command = [sys.executable, "-c", FLAKE8, state, "--isolated", "--exit-zero", "-j1", *paths]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"flake8 ended with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def imports() -> list[float]:
    """CPU seconds of importing flake8, then the plugin, then the analysis."""
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True)
    return [float(part) for part in done.stdout.split()]


def least(turns: Iterable[list[float]]) -> list[float]:
    """The least of each column: what the work costs when nothing disturbs it."""
    return [min(column) for column in zip(*turns, strict=True)]


def readable(folder: str) -> tuple[list[SourceFile], int, float]:
    """The files that pass the gate and parse, how many do not pass, and the mean cost in ms of asking by imports."""
    settings = Settings()
    sources = []
    outside = followed = 0
    spent = 0.0
    for path in Walk(Resolver(Overrides(isolated=True))).files([folder]):
        source = read(path)
        if isinstance(source, Unreadable):
            continue
        began = time.process_time()
        passed = passes(source, settings)
        if not source.mentions(settings.gate_words):
            spent += time.process_time() - began
            followed += 1
        if not passed:
            outside += 1
        elif parsed(source) is not None:
            sources.append(source)
    return sources, outside, 1000 * spent / max(followed, 1)


def parsed(source: SourceFile) -> ast.Module | None:
    """The tree of a file, `None` if it has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source.text)
        except (SyntaxError, ValueError, RecursionError):
            return None


def compare_parse(sources: list[SourceFile], rounds: int) -> Iterator[tuple[str, float | int]]:
    """The analysis of every file beside its parse, file by file in turn."""
    from flake8_tensorbranch.check import check_source

    turns = []
    worst: dict[str, float] = {}
    for _ in range(rounds):
        parse = analysis = 0.0
        for source in sources:
            began = time.process_time()
            tree = parsed(source)
            between = time.process_time()
            check_source(source, Settings(), tree)
            ended = time.process_time()
            parse += between - began
            analysis += ended - between
            worst[source.path] = min(worst.get(source.path, float("inf")), ended - between)
        turns.append([parse, analysis])
    parse, analysis = least(turns)
    yield "ast.parse of them, s", parse
    yield "analysis of them, s", analysis
    yield "analysis, x ast.parse", analysis / parse
    for path, seconds in sorted(worst.items(), key=lambda item: -item[1])[:3]:
        yield f"slowest: {path}, s", seconds


def linearity(folder: str, count: int) -> Iterator[tuple[str, float | int]]:
    """What many files cost alone and together (the lesser of two turns); which files is the same in each run."""
    found, _, _ = readable(folder)
    sources = random.Random(0).sample(found, k=min(count, len(found)))
    alone = sum(forked([source]) for source in sources)
    together = min(forked(sources) for _ in range(2))
    yield "files", len(sources)
    yield "alone, sum, s", alone
    yield "together, s", together
    yield "together, x alone", together / alone


def forked(sources: list[SourceFile]) -> float:
    """CPU seconds of the analysis of some files in a process that has analysed nothing before."""
    from flake8_tensorbranch.check import check_source
    from flake8_tensorbranch.project import Project

    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            project = Project()
            spent = 0.0
            for source in sources:
                tree = parsed(source)
                began = time.process_time()
                check_source(source, Settings(), tree, project)
                spent += time.process_time() - began
            os.write(writer, repr(spent).encode())
        finally:
            os._exit(0)  # what the parent then reads says whether it went well
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    if not text:
        raise SystemExit("the analysis failed")
    return float(text)


def rooms(sources: list[SourceFile]) -> Iterator[tuple[str, float | int]]:
    """The share of each room in the analysis, from the profiler's own times."""
    from flake8_tensorbranch.check import check_source

    trees = [(source, parsed(source)) for source in sources]
    profile = cProfile.Profile()
    profile.enable()
    for source, tree in trees:
        check_source(source, Settings(), tree)
    profile.disable()
    shares: Counter[str] = Counter()
    for (file, _, _), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        shares[room_of(file)] += own
    total = sum(shares.values())
    for room, own in shares.most_common(12):
        yield f"share of {room}, %", 100 * own / total


def room_of(file: str) -> str:
    """The module of ours that a profiled file is, or the package it belongs to."""
    path = Path(file)
    if PACKAGE in path.parents:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        return "rules" if parts[0] == "rules" else ".".join(parts)
    if "astroid" in path.parts:
        return "astroid"
    return "builtins" if file in ("~", "") else "standard library"


if __name__ == "__main__":
    raise SystemExit(main())
