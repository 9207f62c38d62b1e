"""The format `full`: each finding in its source, the way of its value, and its repair as a diff."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from flake8_tensorbranch.diagnostic import Applicability, Related
from flake8_tensorbranch.output.diff import diff
from flake8_tensorbranch.output.frame import CONTEXT, frame
from flake8_tensorbranch.output.marks import fixable, footer, star
from flake8_tensorbranch.output.report import Location, Options, Report, located
from flake8_tensorbranch.output.styles import BOLD, ERROR, HELP, NOTE, WARNING, Paint, Style
from flake8_tensorbranch.source import SourceFile

_NAMED = re.compile(r"(?:async +)?(?:def|class) +\w+|\w+(?:\.\w+)*")  # what of a related place is marked
CAUTIONS = {
    Applicability.UNSAFE: "This is an unsafe fix and may change runtime behavior",
    Applicability.DISPLAY: "This suggestion may be incorrect or produce invalid syntax. "
    "It requires manual review and cannot be applied automatically",
}


def full(reports: Sequence[Report], options: Options) -> Iterator[str]:
    """For each finding its frame, the way as notes with frames of one line, what to do, the diff; then the footer."""
    paint = Paint(options.colour)
    read: dict[str, SourceFile] = {report.source.path: report.source for report in reports}
    for report in reports:
        yield "".join(f"{line}\n" for line in _finding(report, read, options, paint)) + "\n"
    yield from footer(options)


def _finding(report: Report, read: dict[str, SourceFile], options: Options, paint: Paint) -> Iterator[str]:
    source, found = report
    yield _title(report, options, paint)
    yield from frame(source, report.start, report.end, CONTEXT, ERROR, paint)
    for related in found.related:
        yield _message("note", related.message, NOTE, paint)
        yield from _note(related, read, paint)
    if found.help and not (found.fix and _says(found.fix.message, found.help)):
        yield _message("help", found.help, HELP, paint)
    if found.fix:
        yield _message("help", found.fix.message, HELP, paint)
        yield from diff(source, found.fix, paint)
        if found.fix.applicability in CAUTIONS:
            yield _message("note", CAUTIONS[found.fix.applicability], WARNING, paint)


def _title(report: Report, options: Options, paint: Paint) -> str:
    """Code, mark and message; what the message says about the repair stands below as help."""
    found = report.found
    message = found.message.removesuffix(found.help).rstrip("; ") if found.help else found.message
    mark = star(paint, HELP) if fixable(report, options) else ""
    colon = "" if report.is_rule else ":"
    space = " " if mark else ""
    return f"{paint(found.code + colon, ERROR)}{space}{mark}{paint(f' {message}', BOLD)}"


def _says(text: str, words: str) -> bool:
    """Whether a text says these words, whatever their case and punctuation."""
    return " ".join(re.findall(r"\w+", words.casefold())) in " ".join(re.findall(r"\w+", text.casefold()))


def _message(label: str, text: str, style: Style, paint: Paint) -> str:
    return f"{paint(label, style)}{paint(f': {text}', BOLD)}"


def _note(related: Related, read: dict[str, SourceFile], paint: Paint) -> Iterator[str]:
    source = read.get(related.path)
    if source is None:
        source = read[related.path] = _read(related.path)
    if not source.lines:
        start = end = Location(related.line, related.column + 1)
    else:
        start = located(source, related.line, related.column)
        name = _NAMED.match(source.lines[start.row - 1], start.column - 1)
        end = Location(start.row, name.end() + 1) if name else start
    yield from frame(source, start, end, 0, NOTE, paint)


def _read(path: str) -> SourceFile:
    """The text of a related file, empty if it can no longer be read: its frame is then the place alone."""
    try:
        return SourceFile.from_bytes(path, Path(path).read_bytes())
    except (OSError, SyntaxError, UnicodeDecodeError):
        return SourceFile(path, "")
