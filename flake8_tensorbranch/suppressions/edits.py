"""The removal of codes from a comment: which characters go, so that all else in the comment says what it said."""

from __future__ import annotations

from flake8_tensorbranch.suppressions import Host
from flake8_tensorbranch.suppressions.grammar import Action, Directive, directives
from flake8_tensorbranch.suppressions.layout import Layout, Place
from flake8_tensorbranch.suppressions.reach import Placed

Said = list[tuple[Action, list[str] | None]]


def removal(layout: Layout, placed: Placed, indices: list[int], keep_line: bool) -> tuple[Place, Place, str] | None:
    """The text from one place to another and what replaces it, so that words at `indices` leave the list.

    A directive that loses all of its words goes; its reason stays as a comment; a line that held nothing else goes,
    unless `keep_line`. None where what remains would be read otherwise than before, by either host.
    """
    comment = placed.comment
    old, new = comment.text, without(comment.text, placed.directive, indices)
    if new is None:
        return None
    line = layout.lines[comment.line - 1]
    before = line[: comment.column]
    if not new:
        if before.strip() or keep_line:
            return (comment.line, len(before.rstrip())), (comment.line, len(line)), ""
        if comment.line < len(layout.lines):
            return (comment.line, 0), (comment.line + 1, 0), ""
        if comment.line > 1:
            return (comment.line - 1, len(layout.lines[comment.line - 2])), (comment.line, len(line)), ""
        return (comment.line, 0), (comment.line, len(line)), ""
    start = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    first, last = comment.column + start, comment.column + len(old) - end
    return (comment.line, first), (comment.line, last), new[start : len(new) - end]


def without(comment: str, directive: Directive, indices: list[int]) -> str | None:
    """The comment without some words of one of its directives; empty if nothing is left; None if that cannot be done.

    It cannot where the rest would be read otherwise than it was, as in a comment whose second `noqa` counts once the
    first is gone.
    """
    words = directive.words or ()
    kept = [index for index in range(len(words)) if index not in indices]
    if kept:
        new = comment[: words[0].start]
        for index in kept:
            end = words[index + 1].start if index != kept[-1] else words[index].end
            new += comment[words[index].start : end]
        new += comment[words[-1].end :]
    else:
        before, after = comment[: directive.start].rstrip(), comment[directive.end :].lstrip()
        if after and not after.startswith("#"):
            after = after.lstrip(" \t,;:.-\N{EN DASH}\N{EM DASH}")
            after = after and f"# {after}"
        new = "  ".join(filter(None, (before, after)))
    said = [word.text for word in words]
    goal = [said[index] for index in kept] or None
    unchanged = all(_said(new, host) == _expected(comment, host, directive, said, goal) for host in Host)
    return new if unchanged else None


def _said(comment: str, host: Host) -> Said:
    return [(found.action, _texts(found)) for found in directives(comment, host)]


def _texts(directive: Directive) -> list[str] | None:
    return None if directive.words is None else [word.text for word in directive.words]


def _expected(comment: str, host: Host, directive: Directive, said: list[str], goal: list[str] | None) -> Said:
    """What a comment says, but for the words that leave one directive."""
    expected: Said = []
    for found in directives(comment, host):
        words = _texts(found)
        if found.action is directive.action and found.start == directive.start and words == said:
            if goal is None:
                continue
            words = goal
        expected.append((found.action, words))
    return expected
