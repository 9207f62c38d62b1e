"""Formats of one JSON object for each finding: `json`, `json-lines`, and reviewdog's `rdjson`."""

from __future__ import annotations

import functools
import json
import tokenize
from collections.abc import Iterator, Sequence

from flake8_tensorbranch.diagnostic import Applicability, Fix
from flake8_tensorbranch.output.report import (
    SYNTAX,
    TOOL,
    Location,
    Options,
    Report,
    absolute,
    edited,
    edited_in_cell,
    in_cell,
)
from flake8_tensorbranch.pages import project_url, rule_name, rule_url
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.suppressions.layout import Layout

_WORDS = {Applicability.SAFE: "safe", Applicability.UNSAFE: "unsafe", Applicability.DISPLAY: "displayonly"}


def as_json(reports: Sequence[Report], _options: Options) -> Iterator[str]:
    """A list of objects with ruff's keys; like ruff's it ends without a line break."""
    yield json.dumps([_object(report) for report in reports], indent=2, sort_keys=True, ensure_ascii=False)


def json_lines(reports: Sequence[Report], _options: Options) -> Iterator[str]:
    """The objects of `as_json`, each on a line of its own."""
    for report in reports:
        yield json.dumps(_object(report), separators=(",", ":"), sort_keys=True, ensure_ascii=False) + "\n"


def rdjson(reports: Sequence[Report], _options: Options) -> Iterator[str]:
    """Reviewdog's Diagnostic Format; rows in notebooks count the lines of all code cells."""
    source = {"name": TOOL, "url": project_url()}
    document = {
        "diagnostics": [_diagnostic(report) for report in reports],
        "severity": "WARNING",
        "source": {key: value for key, value in source.items() if value},
    }
    yield json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)


def _object(report: Report) -> dict[str, object]:
    source, found = report
    cell = source.cell_at(report.start.row)
    start = in_cell(source, report.start)
    return {
        "cell": cell.number if cell else None,
        "code": found.code,
        "end_location": in_cell(source, report.end)._asdict(),
        "filename": absolute(source.path),
        "fix": _fix(source, found.fix),
        "location": start._asdict(),
        "message": found.message,
        "name": rule_name(found.code),
        "noqa_row": _noqa_row(report) if report.is_rule else None,
        "severity": "error",
        "url": rule_url(found.code),
    }


def _noqa_row(report: Report) -> int:
    """The row for a `noqa` comment, which may stand behind the end of a string or of lines joined by backslashes."""
    source, row = report.source, report.start.row
    layout = _layout(source.text)
    return in_cell(source, Location(layout.noqa_line(row) if layout else row, 1)).row


@functools.lru_cache(maxsize=1)
def _layout(text: str) -> Layout | None:
    """The layout of a text, for as long as findings are in it; None for a text that `tokenize` does not take."""
    try:
        return Layout(text)
    except (tokenize.TokenError, SyntaxError):
        return None


def _fix(source: SourceFile, fix: Fix | None) -> dict[str, object] | None:
    if fix is None:
        return None
    edits = []
    for edit in fix.edits:
        start, end = edited_in_cell(source, edit)
        edits.append({"content": edit.content, "end_location": end._asdict(), "location": start._asdict()})
    return {"applicability": _WORDS[fix.applicability], "edits": edits, "message": fix.message}


def _diagnostic(report: Report) -> dict[str, object]:
    source, found = report
    code = {"value": found.code}
    url = None if found.code == SYNTAX else rule_url(found.code)
    if url:
        code["url"] = url
    item: dict[str, object] = {
        "code": code,
        "location": {"path": absolute(source.path), "range": _range(report.start, report.end)},
        "message": found.message,
    }
    if found.fix:
        item["suggestions"] = [
            {"range": _range(*edited(source, edit)), "text": edit.content} for edit in found.fix.edits
        ]
    return item


def _range(start: Location, end: Location) -> dict[str, dict[str, int]]:
    return {
        "start": {"column": start.column, "line": start.row},
        "end": {"column": end.column, "line": end.row},
    }
