"""The format `full`: each finding in its source, the way of its value, and its repair as a diff."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from flake8_tensorbranch.diagnostic import Applicability, Diagnostic, Related
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
    yield from (_message("help", text, HELP, paint) for text in _advice(found))
    if found.fix:
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


def _advice(found: Diagnostic) -> tuple[str, ...]:
    """What to do and what the fix does, or the longer of the two alone where it says the other's words as well."""
    texts = tuple(text for text in (found.help, found.fix.message if found.fix else "") if text)
    if len(texts) == 2 and _says(texts[1], texts[0]):
        return texts[1:]
    return texts[:1] if len(texts) == 2 and _says(*texts) else texts


def _says(text: str, other: str) -> bool:
    """Whether a text says what another does, whatever the other's verb, and the case and punctuation of both."""
    said, words = (" ".join(re.findall(r"\w+", part.casefold())) for part in (text, other))
    return f" {words.partition(' ')[2]} " in f" {said} "


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
