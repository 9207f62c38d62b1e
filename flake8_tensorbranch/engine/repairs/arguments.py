"""Edits of a call's arguments: one more, one less, one named, another value."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit
from flake8_tensorbranch.engine.repairs.text import Edits, Place, Text, end, inserting, replacing, start


def given(call: nodes.Call) -> list[nodes.NodeNG]:
    """The arguments of a call in the order of the source."""
    return sorted([*call.args, *call.keywords], key=start)


def keyword(call: nodes.Call, name: str) -> nodes.Keyword | None:
    """The keyword argument of that name."""
    return next((k for k in call.keywords if k.arg == name), None)


def unpacks(call: nodes.Call) -> bool:
    """Whether keywords come out of a mapping, which may hold any name."""
    return any(k.arg is None for k in call.keywords)


def added(text: Text, call: nodes.Call, argument: str) -> Edits | None:
    """Edits that give a call one keyword argument more; None where its form leaves no sure place for one.

    It comes last, in a line of its own where the last argument and the closing parenthesis have theirs.
    """
    arguments = given(call)
    close = (end(call)[0], end(call)[1] - 1)
    if not arguments:
        gap = text.gap(end(call.func), close)
        sole = gap is not None and [char for char, _ in gap] == ["("]
        return (inserting(close, argument),) if sole else None
    last = arguments[-1]
    if isinstance(last, nodes.GeneratorExp):
        return None  # as the only argument it may lack parentheses of its own
    stop, comma = _tail(text, last, close)
    if stop is None:
        return None
    place = comma or stop
    own_line = not text.before(start(last)).strip() and not text.before(close).strip()
    rest = text.after(place).strip()
    if own_line and (not rest or rest.startswith("#")):
        indent = text.before(start(last))
        line = inserting(text.line_end(place[0]), f"\n{indent}{argument}{',' if comma else ''}")
        return (line,) if comma else _joined(inserting(stop, ","), line)
    if comma is None:
        return (inserting(stop, f", {argument}"),)
    return (inserting(comma, f" {argument}{',' if comma[0] < close[0] else ''}"),)


def _joined(first: Edit, second: Edit) -> Edits:
    """Two insertions, made one where they are at the same place."""
    if (first.line, first.column) == (second.line, second.column):
        return (first._replace(content=first.content + second.content),)
    return first, second


def _tail(text: Text, last: nodes.NodeNG, close: Place) -> tuple[Place | None, Place | None]:
    """Where the last argument ends with its own parentheses, and the place behind a comma after it."""
    gap = text.gap(end(last), close)
    stop, comma = end(last), None
    for char, place in gap or ():
        if char == ",":
            comma = place
        elif char == ")" and comma is None:
            stop = place
        else:
            return None, None
    return (None, None) if gap is None else (stop, comma)


def named(text: Text, call: nodes.Call, argument: nodes.NodeNG, name: str) -> Edits | None:
    """The edit that makes a positional argument a keyword argument; None where it stands in parentheses of its own."""
    arguments = given(call)
    position = next(i for i, other in enumerate(arguments) if other is argument)
    before = end(arguments[position - 1]) if position else end(call.func)
    gap = text.gap(before, start(argument))
    if gap is None or [char for char, _ in gap if char != ")"] not in ([","], ["("]):
        return None
    return (inserting(start(argument), f"{name}="),)


def removed(text: Text, call: nodes.Call, argument: nodes.NodeNG) -> Edits | None:
    """The edit that takes out an argument that is not the first, with the comma before it; None beside comments."""
    arguments = given(call)
    position = next(i for i, other in enumerate(arguments) if other is argument)
    if position == 0:
        return None
    before = arguments[position - 1]
    begin, _ = _tail(text, before, start(argument))
    following = start(arguments[position + 1]) if position + 1 < len(arguments) else (end(call)[0], end(call)[1] - 1)
    stop, _ = _tail(text, argument, following)
    if begin is None or stop is None or text.commented(begin, start(argument)):
        return None
    return (replacing(begin, stop, ""),)
