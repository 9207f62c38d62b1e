"""The format `junit`: a test suite for each file, a failed test case for each finding."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from flake8_tensorbranch.output.lines import by_file
from flake8_tensorbranch.output.report import TOOL, Options, Report, absolute

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(reports: Sequence[Report], _options: Options) -> Iterator[str]:
    """The XML document; a clean run has one suite with one passed test case."""
    root = ElementTree.Element("testsuites", {"name": TOOL, **_counts(max(1, len(reports)), len(reports))})
    for path, group in by_file(reports).items():
        suite = _suite(root, absolute(path), len(group), len(group))
        for report in group:
            _failed(suite, report)
    if not reports:
        ElementTree.SubElement(_suite(root, TOOL, 1, 0), "testcase", name="No errors found", classname=TOOL)
    ElementTree.indent(root, "    ")
    # A `>` is escaped in texts and attributes, so that ` />` is nothing but the end of an empty element.
    body = ElementTree.tostring(root, "unicode").replace(" />", "/>")
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suite(root: ElementTree.Element, name: str, tests: int, failures: int) -> ElementTree.Element:
    counts = {"tests": str(tests), "skipped": "0", "errors": "0", "failures": str(failures)}
    return ElementTree.SubElement(root, "testsuite", {"name": _clean(name), **counts, "package": f"org.{TOOL}"})


def _counts(tests: int, failures: int) -> dict[str, str]:
    return {"tests": str(tests), "skipped": "0", "failures": str(failures), "errors": "0"}


def _failed(suite: ElementTree.Element, report: Report) -> None:
    message = text = _clean(report.found.message)
    place = {}
    if not report.is_notebook:
        place = {"line": str(report.start.row), "column": str(report.start.column)}
        text = f"line {place['line']}, col {place['column']}, {message}"
    name, owner = f"org.{TOOL}.{report.found.code}", _clean(os.path.splitext(absolute(report.source.path))[0])
    case = ElementTree.SubElement(suite, "testcase", {"name": name, "classname": owner, **place})
    properties = ElementTree.SubElement(case, "properties")
    ElementTree.SubElement(properties, "property", name="severity", value="error")
    ElementTree.SubElement(case, "failure", message=message).text = text


def _clean(text: str) -> str:
    """The text without the characters that no XML document may hold."""
    return _NOT_IN_XML.sub("", text)
