"""What fixes would change, as the unified diff that ruff prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from itertools import pairwise
from typing import Final

from flake8_tensorbranch.source import Cell, as_written

CONTEXT: Final = 3  # lines around a change
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def diff(
    before: str, after: str, path: str, cells: Sequence[Cell] = (), cells_after: Sequence[Cell] = ()
) -> Iterator[str]:
    """The lines of the diff of two texts, without their line breaks; each changed cell of a notebook is a part.

    `path` is what the parts are headed with; without one (standard input) there is no head.
    """
    if not cells:
        yield from _part(before, after, path)
        return
    for old, new, cell in zip(_cut(before, cells), _cut(after, cells_after), cells, strict=True):
        yield from _part(old, new, f"{path}:cell {cell.number}" if path else "")


def _part(before: str, after: str, head: str) -> Iterator[str]:
    if before == after:
        return
    if head:
        yield f"--- {head}"
        yield f"+++ {head}"
    hunks = unified_diff(_LINE.findall(before), _LINE.findall(after), n=CONTEXT, lineterm="\n")
    for number, line in enumerate(hunks):
        if number >= 2:  # difflib's own head
            yield as_written(line.removesuffix("\n"))
            if not line.endswith(("\n", "\r")):
                yield "\\ No newline at end of file"


def _cut(text: str, cells: Sequence[Cell]) -> Iterator[str]:
    """The text of each cell; its last line break joins it to the next one and is not its own."""
    lines = text.split("\n")
    starts = [*(cell.first_line - 1 for cell in cells), len(lines) - 1]
    for first, last in pairwise(starts):
        yield "\n".join(lines[first:last]) + "\n"
