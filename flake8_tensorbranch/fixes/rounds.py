"""Fixing one text to the end: look, apply, look again, until nothing is left to apply."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.fixes.apply import apply
from flake8_tensorbranch.source import SourceFile

MOST_ROUNDS: Final = 10

Look = Callable[[SourceFile], Sequence[Diagnostic]]


class Fixed(NamedTuple):
    """A text after all rounds.

    `text` has the line breaks and the byte order mark of what was given, `source` is the same as the analysis reads it;
    `left` are its findings and `counts` says how often each code was fixed. `error` is empty, or one line that tells
    what went wrong with our own fixes.
    """

    text: str
    source: SourceFile
    left: tuple[Diagnostic, ...]
    counts: Counter[str]
    error: str = ""


def fix(source: SourceFile, text: str, look: Look, wanted: Callable[[Diagnostic], bool]) -> Fixed:
    """Apply the wanted fixes of what `look` finds in `source`, whose text as stored is `text`.

    At most `MOST_ROUNDS` rounds. A round whose result does not parse is taken back and ends the work.
    """
    counts: Counter[str] = Counter()
    left = tuple(look(source))
    for _ in range(MOST_ROUNDS):
        made = apply(text, [found for found in left if wanted(found)], source.cells)
        if made.text == text:
            return Fixed(text, source, left, counts)
        changed = SourceFile(source.path, made.text, made.cells)
        if not _parses(changed.text):
            codes = ", ".join(sorted(made.fixed))
            return Fixed(text, source, left, counts, f"Fix introduced a syntax error in {source.path}; undone: {codes}")
        text, source = made.text, changed
        counts += made.fixed
        left = tuple(look(source))
    if any(wanted(found) for found in left):
        codes = ", ".join(sorted({found.code for found in left if wanted(found)}))
        return Fixed(
            text, source, left, counts, f"Failed to converge after {MOST_ROUNDS} rounds in {source.path}: {codes}"
        )
    return Fixed(text, source, left, counts)


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
