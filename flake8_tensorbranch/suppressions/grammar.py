"""The grammar of suppression comments: what one comment's text says, by the rules of ruff and those of flake8.

Sources: ruff 0.17, whose verdicts the tests compare with these, and the expression of the flake8 that is installed.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import NamedTuple

from flake8_tensorbranch.suppressions import Host

_SPACE = r"[^\S\x1c-\x1f]*"
_NOQA = re.compile(rf"#{_SPACE}(?P<file>(?P<tool>ruff|flake8){_SPACE}:{_SPACE})?(?i:noqa)")
_AFTER = re.compile(rf"{_SPACE}(?P<colon>:)?")
_ITEM = re.compile(rf"{_SPACE}(?:(?P<comma>,)|(?P<code>[A-Z]+[0-9]+)|(?P<letters>[A-Z]+))?")
_BRACKETED = re.compile(rf"#{_SPACE}ruff{_SPACE}:{_SPACE}(?P<action>disable|enable|file-ignore|ignore){_SPACE}\[")
_WORD = re.compile(rf"{_SPACE}(?P<word>[^\W\d_][\w:-]*)?{_SPACE}(?P<end>[],])?")


class Action(enum.Enum):
    """What a suppression comment does; the value is the word that it is written with."""

    NOQA = "noqa"
    FILE_NOQA = "file noqa"
    FILE_IGNORE = "file-ignore"
    DISABLE = "disable"
    ENABLE = "enable"
    IGNORE = "ignore"


class Word(NamedTuple):
    """A code or name in a list; `start` and `end` are characters of the comment."""

    text: str
    start: int
    end: int


class Directive(NamedTuple):
    """One directive of a comment: from its `#` to the end of its list (a reason that follows is not part of it).

    `words` is None for a blanket: every finding is meant.
    """

    action: Action
    start: int
    end: int
    words: tuple[Word, ...] | None


def directives(comment: str, host: Host) -> list[Directive]:
    """What `comment` (from its `#` on) says to `host`, by position; nothing for what is malformed."""
    found = [] if host is Host.COMMAND else list(_flake8_noqa(comment))
    if "noqa" in comment.lower():
        found += _ruff_noqa(comment, host)
    if "ruff" in comment:
        found += _bracketed(comment)
    return sorted(found, key=lambda directive: directive.start)


def flake8_noqa(text: str) -> re.Match[str] | None:
    """The first `noqa` that flake8 finds in `text`, which is a line or several; group `codes` is its list."""
    from flake8.defaults import NOQA_INLINE_REGEXP

    return NOQA_INLINE_REGEXP.search(text)


def _flake8_noqa(comment: str) -> Iterator[Directive]:
    match = flake8_noqa(comment)
    if match is None:
        return
    if match["codes"] is None:
        yield Directive(Action.NOQA, *match.span(), None)
        return
    words = [
        Word(code[0], match.start("codes") + code.start(), match.start("codes") + code.end())
        for code in re.finditer(r"[^,\s]+", match["codes"])
    ]
    yield Directive(Action.NOQA, match.start(), words[-1].end, tuple(words))


def _ruff_noqa(comment: str, host: Host) -> Iterator[Directive]:
    """The first `noqa` for the line, which flake8 reads in its own way, and the first for the file."""
    seen = set()
    for match in _NOQA.finditer(comment):
        action = Action.FILE_NOQA if match["file"] else Action.NOQA
        if action in seen:
            continue
        seen.add(action)
        if host is Host.FLAKE8 and match["tool"] != "ruff":
            continue
        follows = _AFTER.match(comment, match.end())
        assert follows is not None
        if follows["colon"]:
            words = _codes(comment, follows.end())
            if words:
                yield Directive(action, match.start(), words[-1].end, words)
        elif follows[0] or comment[match.end() : match.end() + 1] in ("", "#"):
            yield Directive(action, *match.span(), None)


def _codes(comment: str, at: int) -> tuple[Word, ...]:
    """The codes from `at` up to the first word that is none; no code at all if one ends in what no code ends in."""
    words: list[Word] = []
    joined = False
    while at < len(comment):
        match = _ITEM.match(comment, at)
        assert match is not None
        if match["code"] is None:
            if match["letters"] and joined:
                return ()
            if match["comma"] is None:
                break
            at = match.end()
            continue
        at = match.end()
        words.append(Word(match["code"], *match.span("code")))
        follows = comment[at : at + 1]
        joined = "A" <= follows <= "Z"
        if follows == ",":
            at += 1
        elif not joined and not re.fullmatch(rf"#?{_SPACE}", follows):
            return ()
    return tuple(words)


def _bracketed(comment: str) -> Iterator[Directive]:
    at = comment.find("#")
    while at >= 0:
        match = _BRACKETED.match(comment, at)
        if match is not None:
            found = _words(comment, match.end())
            if found is not None:
                yield Directive(Action(match["action"]), at, found[1], found[0])
                at = found[1] - 1
        at = comment.find("#", at + 1)


def _words(comment: str, at: int) -> tuple[tuple[Word, ...], int] | None:
    """The words of a bracketed list that begins at `at`, and where it ends; None if it is malformed or empty."""
    words: list[Word] = []
    while True:
        match = _WORD.match(comment, at)
        assert match is not None
        if match["word"]:
            words.append(Word(match["word"], *match.span("word")))
        if match["end"] == "]":
            return (tuple(words), match.end()) if words else None
        if match["end"] is None or not match["word"]:
            return None
        at = match.end()
