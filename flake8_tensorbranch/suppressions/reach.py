"""How far each suppression of a file reaches: the lines of a `noqa`, the statement or block of a `ruff:` comment.

The rules are ruff's (0.17): an `ignore` at the end of a line reaches that physical line, one above a statement its
whole logical line (of a `def`, the header), `disable` up to the `enable` with the same words and indentation, else to
the end of its block.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from token import COMMENT, DEDENT, INDENT, NEWLINE, NL
from typing import NamedTuple

from flake8_tensorbranch.suppressions import Host
from flake8_tensorbranch.suppressions.grammar import Action, Directive, directives
from flake8_tensorbranch.suppressions.layout import Comment, Layout

_Place = tuple[float, float]
_START: _Place = (0, 0)
_END: _Place = (math.inf, 0)


class Placed(NamedTuple):
    """A directive with the comment it stands in."""

    comment: Comment
    directive: Directive

    @property
    def words(self) -> list[str]:
        """The codes and names of its list."""
        return [word.text for word in self.directive.words or ()]


class Suppression(NamedTuple):
    """A directive, the `enable` that ends it if there is one, and its reach.

    A finding is reached if it begins in the reach; if `wholly`, only if it also ends there.
    """

    first: Placed
    second: Placed | None
    start: _Place
    end: _Place
    wholly: bool = False

    def reaches(self, begin: _Place, end: _Place) -> bool:
        """Whether a finding from one place to another is in reach."""
        if self.wholly:
            return self.start <= begin and end <= self.end
        return self.start <= begin < self.end


def suppressions(layout: Layout, host: Host) -> list[Suppression]:
    """Every suppression that reaches anything, in the order of the file."""
    placed = [Placed(comment, found) for comment in layout.comments for found in directives(comment.text, host)]
    found: list[Suppression] = []
    bracketed: dict[int, list[Placed]] = {}
    for item in placed:
        action, comment = item.directive.action, item.comment
        indent = layout.indent(comment.line, comment.column + item.directive.start)
        if action is Action.NOQA:
            if host is Host.COMMAND:
                first, last = layout.run(comment.line)
            else:
                first, last = layout.flake8_run(comment.line)
            shadowed = host is Host.FLAKE8 and not layout.is_read_by_flake8(comment)
            if comment.line == last and not shadowed:
                found.append(Suppression(item, None, (first, 0), (last, math.inf)))
        elif action is Action.FILE_NOQA:
            # The comment must have the line to itself; the directive may come late in it.
            if layout.indent(comment.line, comment.column) is not None:
                found.append(Suppression(item, None, _START, _END))
        elif action is Action.FILE_IGNORE:
            if indent == "":
                found.append(Suppression(item, None, _START, _END))
        elif action is Action.IGNORE:
            reach = _trailing(layout, item) if indent is None else _own_line(layout, item)
            found.append(Suppression(item, None, *reach))
        else:
            bracketed.setdefault(comment.token, []).append(item)
    if bracketed:
        found += _Blocks(layout, bracketed).found
    return sorted(found, key=lambda item: (item.first.comment.line, item.first.directive.start))


def _trailing(layout: Layout, item: Placed) -> tuple[_Place, _Place]:
    start: _Place = (item.comment.line, item.comment.column)
    for at in range(item.comment.token - 1, -1, -1):
        if layout.tokens[at].type in (NEWLINE, NL):
            break
        start = layout.tokens[at].start
    return start, (item.comment.line, math.inf)


def _own_line(layout: Layout, item: Placed) -> tuple[_Place, _Place]:
    tokens, index = layout.tokens, item.comment.token
    before = (tokens[at].type for at in range(index - 1, -1, -1))
    inner = next((kind for kind in before if kind not in (NL, COMMENT)), NEWLINE) != NEWLINE
    end: _Place = (item.comment.line, math.inf)
    blank, own_break_seen = True, False
    for token in map(tokens.__getitem__, range(index, len(tokens))):
        if token.type == NEWLINE:
            end = token.start
            break
        if token.type == COMMENT:
            continue
        if token.type == NL and inner:
            end = token.start
            if own_break_seen and not blank:
                break
            own_break_seen = blank = True
        else:
            blank = False
            end = token.end
    return (item.comment.line, item.comment.column), end


class _Blocks:
    """The pairs of `disable` and `enable`, matched block by block while the tokens are read once.

    As ruff does it, indentation is followed from the block of the first comment on, until that block ends or nothing
    waits for a match; what then still waits has an outer indentation, and ends with a later block or with the file.
    """

    def __init__(self, layout: Layout, items: dict[int, list[Placed]]) -> None:
        self.found: list[Suppression] = []
        self._layout = layout
        self._pending: list[tuple[str, Placed]] = []
        blocks: list[str] = []
        followed: list[str] = []
        for index, token in enumerate(layout.tokens):
            if token.type == INDENT:
                blocks.append(token.string)
                if followed:
                    followed.append(token.string)
            elif token.type == DEDENT:
                blocks.pop()
                if followed:
                    self._close(followed.pop(), token.end)
                    if not self._pending:
                        followed.clear()
            elif index in items:
                followed = followed or [blocks[-1] if blocks else ""]
                for item in items[index]:
                    self._open(item, followed[-1])
        self._close("", _END)

    def _open(self, item: Placed, block: str) -> None:
        indent = self._layout.indent(item.comment.line, item.comment.column + item.directive.start)
        if indent is None:
            return
        if indent == block or _next_kind(self._layout, item.comment.token) in (INDENT, DEDENT):
            self._pending.append((indent, item))

    def _close(self, block: str, end: _Place) -> None:
        """Match what waits in an ending block, or deeper; a `disable` without its `enable` reaches to the end."""
        waiting, self._pending = self._pending, []
        while waiting:
            indent, item = waiting.pop(0)
            if len(indent) < len(block):
                self._pending.append((indent, item))
            elif item.directive.action is Action.DISABLE:
                at = next(_matching(waiting, indent, item), None)
                second = None if at is None else waiting.pop(at)[1]
                self._add(item, second, end)

    def _add(self, item: Placed, second: Placed | None, end: _Place) -> None:
        if second is not None:
            end = (second.comment.line, math.inf)
        start = (item.comment.line, item.comment.column)
        self.found.append(Suppression(item, second, start, end, wholly=True))


def _matching(waiting: list[tuple[str, Placed]], indent: str, item: Placed) -> Iterator[int]:
    for at, (other_indent, other) in enumerate(waiting):
        same = other_indent == indent and other.words == item.words
        if same and other.directive.action is Action.ENABLE:
            yield at


def _next_kind(layout: Layout, index: int) -> int:
    """The kind of the first token from `index` on that is neither a comment nor an empty line's end."""
    kinds = (layout.tokens[at].type for at in range(index, len(layout.tokens)))
    return next((kind for kind in kinds if kind not in (COMMENT, NL)), NEWLINE)
