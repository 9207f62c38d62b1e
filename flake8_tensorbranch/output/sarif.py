"""The format `sarif`: SARIF 2.1.0, with the way of each value as a code flow."""

from __future__ import annotations

import json
import os
import urllib.parse
from collections.abc import Iterator, Sequence
from typing import Any, Final

from flake8_tensorbranch import __version__
from flake8_tensorbranch.diagnostic import Fix
from flake8_tensorbranch.output.report import STDIN, TOOL, Location, Options, Report, absolute, edited
from flake8_tensorbranch.pages import Page, pages, project_url, rule_url
from flake8_tensorbranch.source import SourceFile

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: Final = {"E": "error", "W": "warning", "I": "note", "t": "warning"}  # by the first letter of the class
_PLAIN: Final = "/!$&'()*+,:;=@[]^|"  # what stands in a URL's path as it is, besides letters, digits and `-._~`
# What is reported of files that could not be looked at has no page.
_OTHERS: Final = {
    "invalid-syntax": "The file is no Python that this Python can parse.",
    "io-error": "The file cannot be read.",
}


def sarif(reports: Sequence[Report], _options: Options) -> Iterator[str]:
    """One run with its results and the rules they name; rows in notebooks count the lines of all code cells."""
    driver = {"name": TOOL, "version": __version__, "rules": [_rule(code) for code in _codes(reports)]}
    url = project_url()
    if url:
        driver["informationUri"] = url
    run = {
        "columnKind": "unicodeCodePoints",
        "results": [_result(report) for report in reports],
        "tool": {"driver": driver},
    }
    document = {"$schema": SCHEMA, "runs": [run], "version": "2.1.0"}
    yield json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)


def _codes(reports: Sequence[Report]) -> list[str]:
    return sorted({report.found.code for report in reports})


def _rule(code: str) -> dict[str, Any]:
    """What a viewer shows of a rule: its page, its link, and its level, which is that of its class."""
    page = pages().get(code)
    level = _level(code)
    text = page.summary if page else _OTHERS.get(code, code)
    rule = {
        "defaultConfiguration": {"enabled": page is None or not page.opt_in, "level": level},
        "fullDescription": {"text": page.text if page else text},
        "help": _help(page, text),
        "id": code,
        "properties": {
            "id": code,
            "kind": TOOL,
            "name": page.name if page else code,
            "problem.severity": {"note": "recommendation"}.get(level, level),
        },
        "shortDescription": {"text": text},
    }
    url = rule_url(code)
    if url:
        rule["helpUri"] = url
    return rule


def _help(page: Page | None, text: str) -> dict[str, str]:
    return {"text": text, "markdown": page.text} if page else {"text": text}


def _level(code: str) -> str:
    page = pages().get(code)
    return LEVELS[page.rule_class[0]] if page else "error"


def _result(report: Report) -> dict[str, Any]:
    source, found = report
    result: dict[str, Any] = {
        "level": _level(found.code),
        "locations": [_location(source.path, report.start, report.end)],
        "message": {"text": found.message},
        "ruleId": found.code,
    }
    if found.related:
        result["codeFlows"] = [{"threadFlows": [{"locations": list(_flow(report))}]}]
    if found.fix:
        result["fixes"] = [_fix(source, found.fix)]
    return result


def _flow(report: Report) -> Iterator[dict[str, Any]]:
    """The steps of the way in the order of the notes, the finding itself last."""
    for related in report.found.related:
        here = report.source.position(related.line, related.column) if related.path == report.source.path else None
        row, before = here or (related.line, related.column)
        place = Location(row, before + 1)
        yield {"location": {**_location(related.path, place, None), "message": {"text": related.message}}}
    last = _location(report.source.path, report.start, report.end)
    yield {"location": {**last, "message": {"text": report.found.message}}}


def _fix(source: SourceFile, fix: Fix) -> dict[str, Any]:
    replacements = []
    for edit in fix.edits:
        replacement: dict[str, Any] = {"deletedRegion": _region(*edited(source, edit))}
        if edit.content:
            replacement["insertedContent"] = {"text": edit.content}
        replacements.append(replacement)
    change = {"artifactLocation": {"uri": _uri(source.path)}, "replacements": replacements}
    return {"artifactChanges": [change], "description": {"text": fix.message}}


def _location(path: str, start: Location, end: Location | None) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(path)}, "region": _region(start, end)}}


def _region(start: Location, end: Location | None) -> dict[str, int]:
    region = {"startColumn": start.column, "startLine": start.row}
    return region if end is None else {**region, "endColumn": end.column, "endLine": end.row}


def _uri(path: str) -> str:
    whole = absolute(path).replace(os.sep, "/")
    if path == STDIN:
        return "file://-"
    return "file://" + ("" if whole.startswith("/") else "/") + urllib.parse.quote(whole, safe=_PLAIN)
