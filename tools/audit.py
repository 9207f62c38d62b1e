"""Findings on pinned libraries, read by a person: draws the sample, keeps the verdicts, writes `docs/audit.md`.

    python tools/audit.py sample FOLDER     lint the libraries unpacked in FOLDER; print what still needs a verdict
    python tools/audit.py write             docs/audit.md from docs/audit.tsv

The sample: every finding of class E, and 100 + 60 + 100 of class W, of the default rules. Which W is decided by a hash
of the finding's place and code, each code at least once, so that a later run with other rules draws the same ones
again. The 60 are drawn by another hash, in turns from each code, so that more than the branches on values is read; the
last 100 by a third, of what the others left, when all that the first two had shown was mended.
A verdict is `true` (the line's message holds for this code), `false`, or `unsure`; the reason stands beside it.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.files import Unreadable, read
from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.syntax.tree import TreeError

ROOT = Path(__file__).parents[1]
ROWS = ROOT / "docs" / "audit.tsv"
PAGE = ROOT / "docs" / "audit.md"
LIBRARIES = {
    "timm": "1.0.31",
    "transformers": "5.24.0",
    "diffusers": "0.42.1",
    "torchtitan": "0.3.0",
    "lightning": "2.6.6",
    "trl": "1.16.0",
    "peft": "0.21.2",
}
SAMPLE_W = 100
SECOND_W = 60
THIRD_W = 100
VERDICTS = ("true", "false", "unsure")
CONTEXT = 12


class Found(NamedTuple):
    """One finding of a library: its place, its code and the line a user reads."""

    library: str
    path: str
    line: int
    code: str
    message: str

    @property
    def order(self) -> str:
        """A number that depends on the finding's place and code alone."""
        return self.by("")

    def by(self, seed: str) -> str:
        """The same for a draw of its own."""
        return hashlib.sha256((seed + "|".join(map(str, key(self)))).encode()).hexdigest()


class Row(NamedTuple):
    """A verdict. `state`: whether the rules of today still report it."""

    library: str
    path: str
    line: int
    code: str
    state: str
    verdict: str
    why: str


def key(item: Found | Row) -> tuple[str, str, int, str]:
    """What a verdict is about: a finding's place and code."""
    return item.library, item.path, item.line, item.code


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 1 when findings of the sample have no verdict."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    sample = commands.add_parser("sample")
    sample.add_argument("folder", type=Path)
    sample.add_argument("libraries", nargs="*", metavar="LIBRARY", default=list(LIBRARIES))
    commands.add_parser("write")
    options = parser.parse_args(argv)
    rows = load()
    if options.command == "write":
        PAGE.write_text(page(rows), encoding="utf-8")
        return 0
    found = [item for library in options.libraries for item in findings(options.folder, library)]
    still = {key(item) for item in found}
    rows = [
        row._replace(state="reported" if key(row) in still else "gone") if row.library in options.libraries else row
        for row in rows
    ]
    store(rows)
    judged = {key(row) for row in rows}
    missing = [item for item in drawn(found) if key(item) not in judged]
    for item in missing:
        print(shown(options.folder, item))
    print(f"{len(found)} findings, {len(missing)} of the sample without a verdict", file=sys.stderr)
    return 1 if missing else 0


def findings(folder: Path, library: str) -> Iterator[Found]:
    """What the default rules find in a library, each file in the order of its path."""
    project = Project()
    for path in sorted((folder / library).rglob("*.py")):
        source = read(str(path))
        if isinstance(source, Unreadable):
            continue
        try:
            reported = check_source(source, Settings(), project=project)
        except (SyntaxError, TreeError):
            continue
        for item in reported:
            yield Found(library, path.relative_to(folder).as_posix(), item.line, item.code, item.message)


def drawn(found: Iterable[Found]) -> list[Found]:
    """The sample: every E, and of the W the first of each code by `order`, the first of all, then the second draw."""
    by_class: dict[str, dict[tuple[str, str, int, str], Found]] = {"E": {}, "W": {}}
    for item in found:
        by_class.setdefault(level(item.code), {}).setdefault(key(item), item)
    warnings = sorted(by_class["W"].values(), key=lambda item: item.order)
    firsts = list({item.code: item for item in reversed(warnings)}.values())
    chosen = list(dict.fromkeys([*firsts, *warnings]))[:SAMPLE_W]
    taken = {key(item) for item in chosen}
    left = sorted((item for item in warnings if key(item) not in taken), key=lambda item: item.by("second"))
    turns: Counter[str] = Counter()
    in_turns = []
    for item in left:
        turns[item.code] += 1
        in_turns.append((turns[item.code], item.by("second"), item))
    second = [item for _, _, item in sorted(in_turns)[:SECOND_W]]
    taken |= {key(item) for item in second}
    third = sorted((item for item in left if key(item) not in taken), key=lambda item: item.by("third"))[:THIRD_W]
    return sorted([*by_class["E"].values(), *chosen, *second, *third])


def level(code: str) -> str:
    """The class of a rule: E, W or I. Partly opt-in rules count by the class of what is on by default."""
    return pages()[code].rule_class[0]


def shown(folder: Path, item: Found) -> str:
    """A finding with the lines around it."""
    lines = (folder / item.path).read_text(encoding="utf-8").splitlines()
    first = max(item.line - CONTEXT, 1)
    text = [f"{number:6} {lines[number - 1]}" for number in range(first, min(item.line + 4, len(lines)) + 1)]
    return "\n".join([f"== {item.path}:{item.line} {item.code} {item.message}", *text])


def load() -> list[Row]:
    """The verdicts; raises `ValueError` for a row that is not one."""
    with ROWS.open(encoding="utf-8", newline="") as file:
        rows = [
            Row(library, path, int(line), code, state, verdict, why)
            for library, path, line, code, state, verdict, why in csv.reader(file, "excel-tab")
        ]
    for row in rows:
        if row.verdict not in VERDICTS or not row.why or row.state not in ("reported", "gone"):
            raise ValueError(f"{ROWS.name}: {row.path}:{row.line} {row.code} has no verdict, state or reason")
    return rows


def store(rows: Iterable[Row]) -> None:
    """Write the verdicts, sorted."""
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, "excel-tab", lineterminator="\n").writerows(sorted(rows))


def page(rows: Sequence[Row]) -> str:
    """The page: precision by class and by rule, then every verdict."""
    pinned = ", ".join(f"{name} {version}" for name, version in LIBRARIES.items())
    lines = [
        "# Audit: what the default rules say about real libraries",
        "",
        f"Every finding of class E; of class W, {SAMPLE_W} drawn by a hash, {SECOND_W} drawn later by another,",
        f"in turns from each rule, and {THIRD_W} by a third when what these had shown was mended, for a reader who",
        "did not know the rules' code. Read by hand with the code around them,",
        f"on {pinned}.",
        "",
        "`true`: the message holds for this code. Precision is true / (true + false): `as read` of what was reported",
        "when read, `today` of what the rules still report. A false one becomes a fixture, and its kind is fixed.",
        "`python tools/audit.py` draws the sample, and writes this page from `docs/audit.tsv`.",
        "",
        "| class | true | false | unsure | precision as read | precision today |",
        "|---|---|---|---|---|---|",
        *(_precision(name, [row for row in rows if level(row.code) == name]) for name in ("E", "W")),
        "",
        "| rule | true | false | unsure | precision as read | precision today |",
        "|---|---|---|---|---|---|",
        *(_precision(code, [row for row in rows if row.code == code]) for code in sorted({row.code for row in rows})),
        "",
        "| place | code | verdict | why |",
        "|---|---|---|---|",
        *(
            f"| {row.path}:{row.line} | {row.code} | {row.verdict}{', gone' * (row.state == 'gone')} | {row.why} |"
            for row in rows
        ),
    ]
    return "\n".join(lines) + "\n"


def _precision(name: str, rows: Sequence[Row]) -> str:
    counts = Counter(row.verdict for row in rows)
    today = Counter(row.verdict for row in rows if row.state == "reported")
    numbers = " | ".join(str(counts[verdict]) for verdict in VERDICTS)
    return f"| {name} | {numbers} | {_share(counts)} | {_share(today)} |"


def _share(counts: Counter[str]) -> str:
    judged = counts["true"] + counts["false"]
    return f"{100 * counts['true'] / judged:.0f} %" if judged else "-"


if __name__ == "__main__":
    raise SystemExit(main())
