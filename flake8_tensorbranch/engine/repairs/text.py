"""The source text behind a tree's nodes, by the line and UTF-8 byte that `ast` counts."""

from __future__ import annotations

import re
from typing import Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit
from flake8_tensorbranch.syntax.names import ModuleIndex

Place = tuple[int, int]
Edits = tuple[Edit, ...]
_MEMO: Final = "repairs.text"
_PRAGMA: Final = re.compile(
    r"noqa|nosec|\b(type|pragma|pylint|pyright|mypy|ruff|flake8|fmt|isort|yapf)\s*:", re.IGNORECASE
)


class Text:
    """One file's text, cut at places: a 1-based line, and a 0-based UTF-8 byte of it."""

    __slots__ = ("lines",)

    def __init__(self, text: str) -> None:
        self.lines = [line.encode("utf-8", "surrogatepass") for line in text.split("\n")]

    @classmethod
    def of(cls, index: ModuleIndex) -> Text:
        """The text of a module, cut into lines once."""
        found = index.memo.get(_MEMO)
        if not isinstance(found, Text):
            found = index.memo[_MEMO] = cls(index.text)
        return found

    def between(self, start: Place, end: Place) -> str:
        """The text from one place to another."""
        (first, begin), (last, stop) = start, end
        if first == last:
            return self._decode(self.lines[first - 1][begin:stop])
        parts = [self.lines[first - 1][begin:], *self.lines[first : last - 1], self.lines[last - 1][:stop]]
        return self._decode(b"\n".join(parts))

    def source(self, node: nodes.NodeNG) -> str:
        """The text of a node, without parentheses around it."""
        return self.between(start(node), end(node))

    def line(self, number: int) -> str:
        """One whole line, without its line break."""
        return self._decode(self.lines[number - 1])

    def before(self, place: Place) -> str:
        """What stands on the line before a place."""
        return self.between((place[0], 0), place)

    def after(self, place: Place) -> str:
        """What stands on the line from a place on."""
        return self.between(place, self.line_end(place[0]))

    def line_end(self, number: int) -> Place:
        """The place behind the last character of a line."""
        return number, len(self.lines[number - 1])

    @staticmethod
    def _decode(data: bytes) -> str:
        return data.decode("utf-8", "surrogatepass")

    def gap(self, begin: Place, stop: Place) -> list[tuple[str, Place]] | None:
        """The commas and parentheses between two places, each with the place behind it.

        None when anything else is there but space, comments and continued lines.
        """
        found = []
        for number in range(begin[0], stop[0] + 1):
            line = self.lines[number - 1]
            first = begin[1] if number == begin[0] else 0
            last = stop[1] if number == stop[0] else len(line)
            column = first
            while column < last:
                char = chr(line[column])
                column += 1
                if char == "#":
                    break
                if char in "(),":
                    found.append((char, (number, column)))
                elif not (char.isspace() or (char == "\\" and column == len(line))):
                    return None
        return found

    def commented(self, begin: Place, stop: Place) -> bool:
        """Whether a comment stands between two places that only punctuation separates."""
        return "#" in self.between(begin, stop)


def start(node: nodes.NodeNG) -> Place:
    """Where a node begins."""
    return node.lineno or 1, node.col_offset or 0


def end(node: nodes.NodeNG) -> Place:
    """Where a node ends."""
    return node.end_lineno or node.lineno or 1, node.end_col_offset or 0


def replacing(begin: Place, stop: Place, content: str) -> Edit:
    """The edit that puts `content` in the place of what stands between two places."""
    return Edit(*begin, *stop, content)


def inserting(place: Place, content: str) -> Edit:
    """The edit that puts `content` at a place."""
    return Edit(*place, *place, content)


def replaced(node: nodes.NodeNG, content: str) -> Edit:
    """The edit that puts `content` in the place of a node."""
    return replacing(start(node), end(node), content)


def speaks_to_tools(comment: str) -> bool:
    """Whether a comment is one that some tool reads, which holds for the line it stands on."""
    return _PRAGMA.search(comment) is not None


def quoted(node: nodes.NodeNG) -> bool:
    """Whether a node stands in an f-string, where Python before 3.12 gives no usable places."""
    up = node.parent
    while up is not None and not isinstance(up, nodes.JoinedStr):
        up = up.parent
    return up is not None
