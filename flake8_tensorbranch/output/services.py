"""Formats that one CI service reads: GitHub's annotations, Azure's issues, GitLab's code quality report."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence

from flake8_tensorbranch.output.report import START, TOOL, Location, Options, Report, absolute, relative, whereabouts


def github(reports: Sequence[Report], _options: Options) -> Iterator[str]:
    """A workflow command for each finding, with the way of its value and its repair as further lines of the message."""
    for report in reports:
        source, found = report
        start, end = _span(report)
        if start.row == end.row:
            where = f"line={start.row},col={start.column},endLine={end.row},endColumn={end.column}"
        else:
            where = f"line={start.row},endLine={end.row}"
        code = f"{found.code}{'' if report.is_rule else ':'}"
        text = f"{relative(source.path)}:{start.row}:{start.column}: {code} {found.message}"
        for related in found.related:
            text += f"%0A  note: {whereabouts(report, related)}: {related.message}"
        if found.fix:
            text += f"%0A  help: {found.fix.message}"
        yield f"::error title={TOOL} ({found.code}),file={absolute(source.path)},{where}::{text}\n"


def azure(reports: Sequence[Report], _options: Options) -> Iterator[str]:
    """A logging command for each finding."""
    for report in reports:
        row, column = _span(report)[0]
        place = f"sourcepath={absolute(report.source.path)};linenumber={row};columnnumber={column}"
        yield f"##vso[task.logissue type=error;{place};code={report.found.code};]{report.found.message}\n"


def gitlab(reports: Sequence[Report], _options: Options) -> Iterator[str]:
    """A list of issues in the Code Climate format, paths relative to `CI_PROJECT_DIR` or the current folder."""
    root = os.environ.get("CI_PROJECT_DIR")
    used: set[str] = set()
    issues = []
    for report in reports:
        path = relative(report.source.path, root)
        start, end = _span(report)
        issues.append(
            {
                "check_name": report.found.code,
                "description": f"{report.found.code}: {report.found.message}",
                "severity": "major",
                "fingerprint": _fingerprint(report, path, used),
                "location": {"path": path, "positions": {"begin": _position(start), "end": _position(end)}},
            }
        )
    yield json.dumps(issues, indent=2, ensure_ascii=False)


def _span(report: Report) -> tuple[Location, Location]:
    """Start and end; the services know no cells, so that all findings in a notebook are at its start, as ruff's."""
    return (START, START) if report.is_notebook else (report.start, report.end)


def _position(place: Location) -> dict[str, int]:
    return {"line": place.row, "column": place.column}


def _fingerprint(report: Report, path: str, used: set[str]) -> str:
    """16 hexadecimal digits of the code, the path and the source of the finding's first line, not in `used` before.

    The line's number does not enter, so that the fingerprint stays when lines elsewhere come or go; of equal lines
    in one file the first one's stays.
    """
    lines = report.source.lines
    line = lines[report.start.row - 1] if lines else ""
    indent = len(line) - len(line.lstrip())
    column = str(max(0, report.start.column - 1 - indent))
    salt = 0
    while True:
        parts = (report.found.code, path.replace(os.sep, "/"), line.strip(), column, str(salt))
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        if digest not in used:
            used.add(digest)
            return digest
        salt += 1
