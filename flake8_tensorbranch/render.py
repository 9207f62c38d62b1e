"""Findings as text: ruff's `concise`, `full` and `json` shapes, and statistics."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.pages import rule_name
from flake8_tensorbranch.source import SourceFile

CONTEXT = 2
TAB = "    "


class Report(NamedTuple):
    """One finding and the text it was found in; positions are shown 1-based, in characters, the end exclusive."""

    source: SourceFile
    found: Diagnostic

    @property
    def place(self) -> str:
        """`path:line:column`."""
        line, column = self.source.position(self.found.line, self.found.column)
        return f"{self.source.path}:{line}:{column + 1}"

    @property
    def title(self) -> str:
        """Code and message; what is not a rule's has a name and a colon, as ruff writes it."""
        colon = "" if self.found.code.startswith("TBR") else ":"
        return f"{self.found.code}{colon} {self.found.message}"


def concise(reports: list[Report]) -> Iterator[str]:
    """One line for each finding."""
    for report in reports:
        yield f"{report.place}: {report.title}"


def full(reports: list[Report]) -> Iterator[str]:
    """For each finding its lines of source, its way as notes, and the repair."""
    read: dict[str, SourceFile] = {}
    for report in reports:
        source, found = report
        read[source.path] = source
        yield report.title
        yield from _frame(source, found.line, found.column, (found.end_line, found.end_column), CONTEXT)
        for related in found.related:
            yield f"note: {related.message}"
            origin = read.get(related.path) or read.setdefault(related.path, _read(related.path))
            yield from _frame(origin, related.line, related.column, None, 0)
        if found.help:
            yield f"help: {found.help}"
        yield ""


def as_json(reports: list[Report]) -> Iterator[str]:
    """A list of objects with ruff's keys."""
    yield json.dumps([_as_object(report) for report in reports], indent=2, sort_keys=True)


def statistics(reports: list[Report]) -> Iterator[str]:
    """How often each code was found, the most frequent first."""
    counts = _counted(reports)
    width = max((len(str(count)) for _, count in counts), default=0)
    code_width = max((len(code) for code, _ in counts), default=0)
    for code, count in counts:
        yield f"{count:>{width}}\t{code:<{code_width}}\t{rule_name(code)}"


def statistics_json(reports: list[Report]) -> Iterator[str]:
    """The statistics as a list of objects with ruff's keys."""
    rows = [
        {"code": code, "name": rule_name(code), "count": count, "fixable": False, "fixable_count": 0}
        for code, count in _counted(reports)
    ]
    yield json.dumps(rows, indent=2)


Format = Callable[[list[Report]], Iterator[str]]
FORMATS: Mapping[str, Format] = {"full": full, "concise": concise, "json": as_json}
STATISTICS: Mapping[str, Format] = {"full": statistics, "concise": statistics, "json": statistics_json}
COUNTED = frozenset({"full", "concise"})


def _counted(reports: list[Report]) -> list[tuple[str, int]]:
    counts = Counter(report.found.code for report in reports)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def count(number: int) -> str:
    """The line that ends a text for people."""
    if not number:
        return "All checks passed!"
    return f"Found {number} error{'s' if number > 1 else ''}."


def _as_object(report: Report) -> dict[str, object]:
    source, found = report
    line, column = source.position(found.line, found.column)
    end_line, end_column = source.position(found.end_line, found.end_column)
    return {
        "cell": None,
        "code": found.code,
        "end_location": {"column": end_column + 1, "row": end_line},
        "filename": str(Path(source.path).absolute()),
        "fix": None,
        "location": {"column": column + 1, "row": line},
        "message": found.message,
        "name": rule_name(found.code),
        "noqa_row": line if found.code.startswith("TBR") else None,
        "severity": "error",
        "url": None,
    }


def _read(path: str) -> SourceFile:
    """The text of a related file, empty if it can no longer be read: its frame is then left out."""
    try:
        return SourceFile.from_bytes(path, Path(path).read_bytes())
    except (OSError, SyntaxError, UnicodeDecodeError):
        return SourceFile(path, "")


def _frame(source: SourceFile, line: int, column: int, end: tuple[int, int] | None, context: int) -> Iterator[str]:
    """The place and its lines, the range underlined; of a range over several lines, its part of the first line."""
    lines = source.lines
    if not lines:
        yield f"--> {source.path}:{line}:{column + 1}"
        return
    line, column = source.position(line, column)
    text = lines[line - 1]
    end_line, end_column = (line, column + 1) if end is None else source.position(*end)
    if end_line != line:
        end_column = len(text.rstrip())
    first, last = max(1, line - context), min(len(lines), line + context)
    while first < line and not lines[first - 1].strip():
        first += 1
    while last > line and not lines[last - 1].strip():
        last -= 1
    gutter = " " * len(str(last))
    yield f"{gutter}--> {source.path}:{line}:{column + 1}"
    yield f"{gutter} |"
    for number in range(first, last + 1):
        yield f"{number:>{len(gutter)}} | {_expanded(lines[number - 1])}".rstrip()
        if number == line:
            before = len(_expanded(text[:column]))
            marked = len(_expanded(text[column:end_column]))
            yield f"{gutter} | {' ' * before}{'^' * max(1, marked)}"
    yield f"{gutter} |"


def _expanded(text: str) -> str:
    return text.replace("\t", TAB)
