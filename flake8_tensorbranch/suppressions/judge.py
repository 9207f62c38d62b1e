"""The verdict over one file's comments: findings they hide, suppressions that hide nothing, codes that do not exist."""

from __future__ import annotations

import re
import tokenize
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import lru_cache

from flake8_tensorbranch.diagnostic import Applicability, Diagnostic, Edit, Fix
from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.suppressions import Host
from flake8_tensorbranch.suppressions.edits import removal
from flake8_tensorbranch.suppressions.grammar import Action
from flake8_tensorbranch.suppressions.layout import Layout
from flake8_tensorbranch.suppressions.reach import Placed, Suppression, suppressions

FAILED, UNUSED, UNKNOWN = "TBR000", "TBR001", "TBR002"
_OURS = re.compile(r"(?i:tbr)(?:[0-9-].*)?", re.DOTALL)


def judged(
    source: SourceFile,
    found: list[Diagnostic],
    withheld: list[Diagnostic],
    settings: Settings,
    host: Host,
    selected: Callable[[str], bool],
) -> list[Diagnostic]:
    """As `suppressions.settle`; a text that `tokenize` does not take has no comments."""
    try:
        layout = Layout(source.text)
    except (tokenize.TokenError, SyntaxError):
        return found
    every = suppressions(layout, host)
    kept = _visible(source, found, every, host)
    if any(item.code == FAILED for item in found):
        return kept

    def runs(code: str) -> bool:
        return selected(code) and settings.is_enabled(code, pages()[code].opt_in)

    judge = _Judge(layout, _Places(source, [*found, *withheld]), bool(source.cells), host, runs)
    complaints = [complaint for suppression in every for complaint in judge.complaints(suppression)]
    kept += _visible(source, complaints, every, host)
    return sorted(kept, key=lambda item: (item.line, item.column, item.code))


def _visible(source: SourceFile, items: list[Diagnostic], every: list[Suppression], host: Host) -> list[Diagnostic]:
    """The findings that no comment hides; flake8 applies `noqa` for lines itself."""
    places = _Places(source, items)
    hidden: set[int] = set()
    for suppression in every:
        if host is Host.COMMAND or suppression.first.directive.action is not Action.NOQA:
            hidden |= {at for at, code in places.reached(suppression) if _means_any(suppression.first, code, host)}
    return [item for at, item in enumerate(items) if at not in hidden]


class _Places:
    """Where findings are, in the order of their beginnings, so that those in a reach are found without a search."""

    def __init__(self, source: SourceFile, items: list[Diagnostic]) -> None:
        self._places = sorted(
            (source.position(item.line, item.column), source.position(item.end_line, item.end_column), at, item.code)
            for at, item in enumerate(items)
        )

    def reached(self, suppression: Suppression) -> Iterator[tuple[int, str]]:
        """The number, in the list given, and the code of each finding that a suppression reaches."""
        first = bisect_left(self._places, suppression.start, key=lambda place: place[0])
        for number in range(first, len(self._places)):
            begin, end, at, code = self._places[number]
            if begin > suppression.end:
                break
            if suppression.reaches(begin, end):
                yield at, code


def _means_any(placed: Placed, code: str, host: Host) -> bool:
    words = placed.directive.words
    return words is None or any(_means(word.text, code, placed.directive.action, host) for word in words)


def _means(word: str, code: str, action: Action, host: Host) -> bool:
    """Whether a word of a list stands for a code: flake8 takes the beginnings of codes, brackets hold names as well."""
    if host is Host.FLAKE8 and action is Action.NOQA:
        return code.startswith(word)
    if word == code:
        return True
    in_brackets = action not in (Action.NOQA, Action.FILE_NOQA)
    return in_brackets and word.startswith("tbr-") and code in pages() and pages()[code].name == word


class _Judge:
    """What is wrong with the suppressions of one file, given the places of everything that was found in it."""

    def __init__(
        self, layout: Layout, places: _Places, keep_lines: bool, host: Host, runs: Callable[[str], bool]
    ) -> None:
        self._layout = layout
        self._places = places
        self._keep_lines = keep_lines
        self._host = host
        self._runs = lru_cache(maxsize=None)(runs)
        self._codes = lru_cache(maxsize=None)(self._codes_of)

    def complaints(self, suppression: Suppression) -> Iterator[Diagnostic]:
        """TBR001 for our codes that hide nothing, TBR002 for ours that do not exist; at most one each."""
        unused: list[int] = []
        unknown: list[int] = []
        seen: set[str] = set()
        words = suppression.first.directive.words or ()
        for index, word in enumerate(words):
            if not _OURS.fullmatch(word.text):
                continue
            meant = self._codes(word.text, suppression.first.directive.action)
            if not meant:
                unknown.append(index)
            elif word.text in seen or self._is_unused(suppression, meant):
                unused.append(index)
            seen.add(word.text)
        if unknown:
            what = _listed([_with_guess(words[index].text) for index in unknown])
            message = f"no such code: {what}; this suppression hides nothing, correct or remove it"
            yield self._complaint(UNKNOWN, suppression, unknown, message, Applicability.UNSAFE)
        if unused:
            what = _listed(list(dict.fromkeys(words[index].text for index in unused)))
            message = f"unused suppression of {what}: it hides nothing here; remove it"
            yield self._complaint(UNUSED, suppression, unused, message, Applicability.SAFE)

    def _codes_of(self, word: str, action: Action) -> frozenset[str]:
        """The codes that a word in a list stands for."""
        return frozenset(code for code in pages() if _means(word, code, action, self._host))

    def _is_unused(self, suppression: Suppression, codes: frozenset[str]) -> bool:
        if codes & {FAILED, UNUSED, UNKNOWN} or not all(map(self._runs, codes)):
            return False
        return not any(code in codes for _, code in self._places.reached(suppression))

    def _complaint(
        self, code: str, suppression: Suppression, indices: list[int], message: str, applicability: Applicability
    ) -> Diagnostic:
        words = suppression.first.directive.words or ()
        comment = suppression.first.comment
        start = self._bytes(comment.line, comment.column + words[indices[0]].start)
        end = self._bytes(comment.line, comment.column + words[indices[-1]].end)
        return Diagnostic(
            comment.line, start, comment.line, end, code, message, fix=self._fix(suppression, indices, applicability)
        )

    def _fix(self, suppression: Suppression, indices: list[int], applicability: Applicability) -> Fix | None:
        edits = []
        for placed in (suppression.first, suppression.second):
            if placed is not None:
                span = removal(self._layout, placed, indices, self._keep_lines)
                if span is None:
                    return None
                (line, column), (end_line, end_column), text = span
                edits.append(Edit(line, self._bytes(line, column), end_line, self._bytes(end_line, end_column), text))
        words = suppression.first.directive.words or ()
        return Fix(f"Remove {_listed([words[index].text for index in indices])}", applicability, tuple(edits))

    def _bytes(self, line: int, column: int) -> int:
        return len(self._layout.lines[line - 1][:column].encode("utf-8", "surrogatepass"))


def _listed(words: list[str]) -> str:
    return ", ".join(words)


def _with_guess(word: str) -> str:
    """A word of ours that is no code, with the name or code it may have been meant to be."""
    if word.startswith("tbr-"):
        import difflib

        close = difflib.get_close_matches(word, [page.name for page in pages().values()], n=1)
    else:
        close = [code for code in pages() if code == word.upper()]
    return f"{word} (did you mean {close[0]}?)" if close else word
