"""What real torch did with each rule's example: recorded by the oracle suite, rendered as docs/oracle.md.

    python tools/oracle.py --write [-n JOBS] [--only CODE ...]

runs `tests/oracle` on the torch of this interpreter and writes tests/oracle/observed/torch-X.Y.tsv, which
`python tools/docs.py` renders. On the torch that the suite is written for every test must pass; on another one, the row
of a test that stopped before its observation says what stopped it.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.knowledge.versions import BEHAVIOURS
from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "oracle" / "observed"
REFERENCE = "2.13"
UNSHOWN = "not shown by a CPU"


class Row(NamedTuple):
    """One observation: the rule, the test that made it, what was done, and what torch did."""

    rule: str
    test: str
    situation: str
    observed: str


def main(argv: Sequence[str] | None = None) -> int:
    """Record on this interpreter's torch; status 1 where a test failed that had to pass."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", required=True)
    parser.add_argument("-n", metavar="JOBS", default="2")
    parser.add_argument("--only", metavar="CODE", nargs="*", default=[], help="rules to record anew (default: all)")
    options = parser.parse_args(argv)
    path = record_of(version("torch"))
    reference = path == record_of(REFERENCE)
    status, reports = observed(options.n, options.only)
    if reference and status:
        print("the suite failed: nothing is written")
        return 1
    expected = [] if reference else read(record_of(REFERENCE))
    if options.only:
        expected = [row for row in expected if row.rule in options.only]
    kept = [row for row in read(path) if row.rule not in options.only] if options.only else []
    rows = sorted({*kept, *rows_of(reports, expected)})
    write(path, rows)
    print(f"{path.relative_to(ROOT)}: {len(rows)} rows; now run: python tools/docs.py")
    return 0


def record_of(torch_version: str) -> Path:
    """The file of a version's observations, `torch-2.13.tsv` for all of 2.13."""
    return FOLDER / f"torch-{'.'.join(torch_version.split('.')[:2])}.tsv"


def observed(jobs: str, only: Sequence[str]) -> tuple[int, list[Mapping[str, Any]]]:
    """Run the suite; its status, and what its tests told and where they failed."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        command = [sys.executable, "-m", "pytest", "-q", "-n", jobs, "-p", "no:cacheprovider"]
        command += [f"tests/oracle/test_{code.lower()}.py" for code in only] or ["tests/oracle"]
        environment = {**os.environ, "TBR_ORACLE_RECORD": str(record), "TBR_REQUIRE_TORCH": "1"}
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        return status, [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]


def rows_of(reports: Iterable[Mapping[str, Any]], expected: Iterable[Row]) -> Iterator[Row]:
    """The rows that were told, and for each expected one that was not, what stopped its test."""
    told: set[tuple[str, str]] = set()
    stopped: dict[str, str] = {}
    for report in reports:
        test = report["test"].partition("[")[0]
        if report["failed"]:
            stopped.setdefault(test, report["failed"])
        for rule, situation, text in report["told"]:
            told.add((rule, situation))
            yield Row(rule, test, situation, text)
    for row in expected:
        if (row.rule, row.situation) not in told:
            reason = re.sub(
                r"<[^<>]* object at 0x[0-9a-f]+>|0x[0-9a-f]+", "...", stopped.get(row.test, "the test did not run")
            )
            yield row._replace(observed=f"not observed: {reason}")


def read(path: Path) -> list[Row]:
    """The rows of a record; raises `ValueError` for a line that is not one."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Row(*line.split("\t")) for line in lines if not line.startswith("#")]


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a record."""
    head = f"# torch {version('torch').partition('+')[0]}: written by `python tools/oracle.py --write`\n"
    path.parent.mkdir(exist_ok=True)
    path.write_text(head + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def table() -> Iterator[str]:
    """One row for each rule: what the reference torch did, and what the linter says of the same example."""
    yield f"| rule | observed on torch {REFERENCE} | message |"
    yield "|---|---|---|"
    for code, rows in by_rule(read(record_of(REFERENCE))).items():
        link = f"[{code}](../flake8_tensorbranch/docs/{code}.md)"
        yield f"| {link} | {_lines(_observation(row) for row in rows)} | {_lines(messages(code, None))} |"


def differences() -> Iterator[str]:
    """For each other torch with a record: the rows where it did another thing, and the message for that target."""
    reference = {(row.rule, row.situation): row for row in read(record_of(REFERENCE))}
    for path in sorted(FOLDER.glob("torch-*.tsv")):
        other = path.stem.removeprefix("torch-")
        if other == REFERENCE:
            continue
        rows = read(path)
        yield f"### torch {other}"
        yield ""
        same = sum(reference[row.rule, row.situation].observed == row.observed for row in rows)
        yield f"{same} of {len(rows)} observations are the same. The others:"
        yield ""
        yield f"| rule | situation | torch {REFERENCE} | torch {other} | message with `--tbr-torch={other}` |"
        yield "|---|---|---|---|---|"
        for row in rows:
            before = reference[row.rule, row.situation]
            if before.observed != row.observed:
                said = messages(row.rule, other)
                shown = "the same" if said == messages(row.rule, None) else _lines(said) or "none"
                cells = (row.rule, *map(_cell, (row.situation, before.observed, row.observed)), shown)
                yield f"| {' | '.join(cells)} |"
        yield ""


def behaviours() -> Iterator[str]:
    """What the target torch changes in the rules, from `knowledge.versions`."""
    yield "| behaviour | since torch | source |"
    yield "|---|---|---|"
    for name, since in BEHAVIOURS.items():
        yield f"| {name} | {'.'.join(map(str, since.version))} | {_cell(since.source)} |"


@functools.cache
def messages(code: str, torch_version: str | None) -> tuple[str, ...]:
    """What the linter says of the example on a rule's page, once each, for a target torch."""
    example = pages()[code].text.partition("## Example\n")[2].partition("## Repair\n")[0]
    source = re.findall(r"^```python\n(.*?)^```$", example, re.MULTILINE | re.DOTALL)[0]
    given = re.search(r"^# options:.*--tbr-torch=(\S+)", source)
    settings = Settings(enable=("TBR",), torch_version=torch_version or (given[1] if given else None))
    found = check_source(SourceFile(f"{code}.py", source), settings)
    return tuple(dict.fromkeys(_cell(item.message) for item in found if item.code == code))


def by_rule(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each rule, in the order of the codes."""
    found = defaultdict(list)
    for row in rows:
        found[row.rule].append(row)
    return dict(sorted(found.items()))


def _observation(row: Row) -> str:
    if row.situation == UNSHOWN:
        links = re.findall(
            r"(?:\[([^\]]+)\]\()?(https://[^\s)]+)", pages()[row.rule].text.partition("## References\n")[2]
        )
        sources = ", ".join(f"[{text or 'source'}]({link})" for text, link in links)
        return f"Not shown by a CPU: {_cell(row.observed)} ({sources})"
    return f"{_cell(row.situation)}: {_cell(row.observed)}"


def _cell(text: str) -> str:
    """A text as a cell's: code between backticks stays as it is, but for the bar that would end the cell."""
    parts = text.replace("|", "\\|").split("`")
    return "`".join(p if n % 2 else p.replace("<", "&lt;").replace("*", "\\*") for n, p in enumerate(parts))


def _lines(texts: Iterable[str]) -> str:
    return "<br>".join(texts)


if __name__ == "__main__":
    sys.exit(main())
