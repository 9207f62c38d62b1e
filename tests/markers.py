"""The grammar of markers: comments in code that say what the linter must report there.

A marker stands at the end of a line, or alone on a line above the code it speaks of (several may be stacked):

    # error: [TBR101]                  a finding on this line
    # error: 8 [TBR101] "text"         ... at this column (1-based, in characters), its message containing text
    # note: "text"                     a related place of some finding (not every related place needs a marker)
    # revealed: tensor[data]           what the engine knows of the expression on this line
    # ok: [TBR101] reason              tempting, but rightly silent
    # todo: [TBR101] reason            known miss: fails once it is found
    # todo-ok: [TBR101] reason         known false alarm: fails once it is gone

The first lines of a file may hold `# options: --tbr-enable=TBR`, the options it is checked with.
"""

from __future__ import annotations

import bisect
import contextlib
import io
import re
import shlex
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flake8_tensorbranch.cli.parser import parser
from flake8_tensorbranch.diagnostic import Diagnostic, Related
from flake8_tensorbranch.settings import Settings, SettingsError
from flake8_tensorbranch.source import SourceFile

_KINDS = r"(?:error|note|revealed|ok|todo|todo-ok)"
_START = re.compile(rf"#\s*(?={_KINDS}\s*:)")
_FORMS = (
    re.compile(r'(?P<kind>error): (?:(?P<column>[1-9]\d*) )?\[(?P<code>TBR\d{3})\](?: "(?P<text>[^"]+)")?'),
    re.compile(r'(?P<kind>note): (?:(?P<column>[1-9]\d*) )?"(?P<text>[^"]+)"'),
    re.compile(r"(?P<kind>revealed): (?P<text>\S.*)"),
    re.compile(r"(?P<kind>ok|todo|todo-ok): \[(?P<code>TBR\d{3})\] (?P<text>\S.*)"),
)
_OPTIONS = re.compile(r"# options:\s+(.+)")
_LAYOUT = frozenset(
    (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
)


class MarkerError(ValueError):
    """A marker that is misspelt, contradicts another, or speaks of no code."""


@dataclass(frozen=True)
class Marker:
    """One marker; `line` is the line of code it speaks of, `text` its quoted text, revealed value or reason."""

    line: int
    kind: str
    code: str = ""
    column: int | None = None
    text: str = ""


def parse_markers(text: str) -> list[Marker]:
    """The markers of a module in order of their lines; raises `MarkerError` for one that cannot be read."""
    comments, code_lines = _scan(text)
    markers: list[Marker] = []
    for number, comment, alone in comments:
        bodies = _START.split(comment)[1:]
        if not bodies:
            continue
        line = number
        if alone:
            index = bisect.bisect_right(code_lines, number)
            if index == len(code_lines):
                raise MarkerError(f"line {number}: no code follows {comment!r}")
            line = code_lines[index]
        markers.extend(_parse(body.strip(), number, line) for body in bodies)
    markers.sort(key=lambda marker: marker.line)
    _reject_contradictions(markers)
    return markers


def settings_of(text: str) -> Settings:
    """The settings that the `# options:` lines at the top of a module ask for."""
    arguments: list[str] = []
    at_top = True
    for number, line in enumerate(text.splitlines(), 1):
        if match := _OPTIONS.fullmatch(line.strip()):
            if not at_top:
                raise MarkerError(f"line {number}: options stand on the first lines only")
            arguments += shlex.split(match[1])
        elif line.strip():
            at_top = False
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return Settings.from_options(vars(parser().parse_args(["check", *arguments])))
    except (SystemExit, SettingsError) as error:
        raise MarkerError(f"options {arguments}: {complaint.getvalue() or error}") from error


def assert_markers(
    text: str,
    diagnostics: Iterable[Diagnostic],
    *,
    related: Iterable[Related] | None = None,
    revealed: Mapping[int, Sequence[str]] | None = None,
) -> None:
    """Raise `AssertionError`, naming every line at fault, unless findings and markers of a module agree exactly.

    `related` are the related places in this module (by default those of `diagnostics`), `revealed` the revealed values
    by line, compared exactly too.
    """
    found = list(diagnostics)
    related = [place for item in found for place in item.related] if related is None else related
    problems = list(_problems(SourceFile("<markers>", text), found, list(related), revealed or {}))
    if problems:
        lines = text.splitlines()
        shown = (f"line {line}: {words}\n    {''.join(lines[line - 1 : line])}" for line, words in problems)
        raise AssertionError("\n".join(["findings and markers differ", *shown]))


def _problems(
    source: SourceFile, found: list[Diagnostic], related: list[Related], revealed: Mapping[int, Sequence[str]]
) -> Iterator[tuple[int, str]]:
    markers = parse_markers(source.text)
    left: dict[int, list[Diagnostic]] = defaultdict(list)
    for item in found:
        left[item.line].append(item)
    expected = [marker for marker in markers if marker.kind in ("error", "todo-ok")]
    # The most specific marker chooses first, so that a bare one does not take the finding that another names.
    for marker in sorted(expected, key=lambda m: (m.line, m.column is None, m.kind != "error", not m.text)):
        match = next((item for item in left[marker.line] if _matches(source, marker, item)), None)
        if match is not None:
            left[marker.line].remove(match)
        elif marker.kind == "error":
            yield marker.line, f"not found: {_shown(marker)}"
        else:
            yield marker.line, f"this false alarm of {marker.code} is gone: make its todo-ok an ok"
    for marker in markers:
        if marker.kind == "todo":
            for item in [item for item in left[marker.line] if item.code == marker.code]:
                left[marker.line].remove(item)
                yield marker.line, f"this miss of {marker.code} is now found: make its todo an error"
        elif marker.kind == "note" and not any(_relates(source, marker, place) for place in related):
            yield marker.line, f"no related place: {_shown(marker)}"
    for line, items in sorted(left.items()):
        for item in items:
            column = source.position(item.line, item.column)[1] + 1
            yield line, f'unexpected: {column} [{item.code}] "{item.message}"'
    yield from _revealed_problems(markers, revealed)


def _revealed_problems(markers: list[Marker], revealed: Mapping[int, Sequence[str]]) -> Iterator[tuple[int, str]]:
    wanted: dict[int, list[str]] = defaultdict(list)
    for marker in markers:
        if marker.kind == "revealed":
            wanted[marker.line].append(marker.text)
    for line in sorted(wanted.keys() | revealed.keys()):
        if wanted[line] != list(revealed.get(line, ())):
            yield line, f"revealed {list(revealed.get(line, ()))}, not {wanted[line]}"


def _matches(source: SourceFile, marker: Marker, item: Diagnostic) -> bool:
    if item.code != marker.code or (marker.kind == "error" and marker.text not in item.message):
        return False
    return marker.column in (None, source.position(item.line, item.column)[1] + 1)


def _relates(source: SourceFile, marker: Marker, place: Related) -> bool:
    if place.line != marker.line or marker.text not in place.message:
        return False
    return marker.column in (None, source.position(place.line, place.column)[1] + 1)


def _shown(marker: Marker) -> str:
    column = str(marker.column or "")
    code = marker.code and f"[{marker.code}]"
    text = marker.text and f'"{marker.text}"'
    return " ".join(filter(None, (column, code, text)))


def _parse(body: str, number: int, line: int) -> Marker:
    for form in _FORMS:
        if match := form.fullmatch(body):
            given = match.groupdict()
            column = int(given.get("column") or 0) or None
            return Marker(line, given["kind"], given.get("code") or "", column, given["text"] or "")
    raise MarkerError(f"line {number}: not a marker: {body!r}")


def _scan(text: str) -> tuple[list[tuple[int, str, bool]], list[int]]:
    """The comments (line, text, whether alone on it) and the lines that hold code."""
    comments = []
    code_lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.append((token.start[0], token.string, not token.line[: token.start[1]].strip()))
        elif token.type not in _LAYOUT:
            code_lines.update(range(token.start[0], token.end[0] + 1))
    return comments, sorted(code_lines)


def _reject_contradictions(markers: list[Marker]) -> None:
    said = {(marker.line, marker.code, marker.kind) for marker in markers}
    for line, code, kind in said:
        if kind == "ok" and any((line, code, other) in said for other in ("error", "todo", "todo-ok")):
            raise MarkerError(f"line {line}: {code} cannot be ok and something else")
