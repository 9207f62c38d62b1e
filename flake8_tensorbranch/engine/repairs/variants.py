"""Edits of checkpoint calls: another variant, a named flag, keywords bound to the function, fewer segments."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.repairs import arguments
from flake8_tensorbranch.engine.repairs.imports import spelled
from flake8_tensorbranch.engine.repairs.text import Edits, Text, end, inserting, quoted, replaced, start
from flake8_tensorbranch.knowledge.regions import RegionEntry
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

_NO_FLAGS: Final = (nodes.Starred, nodes.Compare, nodes.UnaryOp)
_POSITION: Final = 3  # of `use_reentrant` in checkpoint_sequential, the only one of the two that takes it by position


def nonreentrant(index: ModuleIndex, call: nodes.NodeNG, row: RegionEntry) -> Edits | None:
    """Edits that make a call of torch's checkpoint say `use_reentrant=False`.

    None where the option is not written at the call as a literal, or may come out of a mapping.
    """
    if not isinstance(call, nodes.Call) or row.reentrant_keyword != "use_reentrant" or quoted(call):
        return None
    told = arguments.keyword(call, "use_reentrant")
    value = told.value if told is not None else None
    if row.sequential and len(call.args) > _POSITION:
        value = call.args[_POSITION]
    if value is not None:
        literal = isinstance(value, nodes.Const) and (value.value is True or value.value is None)
        return (replaced(value, "False"),) if literal else None
    if arguments.unpacks(call) or (row.sequential and any(isinstance(a, nodes.Starred) for a in call.args)):
        return None
    return arguments.added(Text.of(index), call, "use_reentrant=False")


def is_told(call: nodes.NodeNG) -> bool:
    """Whether `use_reentrant` is written at a call."""
    return isinstance(call, nodes.Call) and arguments.keyword(call, "use_reentrant") is not None


def flag(index: ModuleIndex, call: nodes.NodeNG) -> Edits | None:
    """The edit that gives the last positional argument the name `use_reentrant`; None where it has it, or none."""
    if not isinstance(call, nodes.Call) or quoted(call) or arguments.unpacks(call):
        return None
    if arguments.keyword(call, "use_reentrant") is not None or isinstance(call.args[-1], _NO_FLAGS):
        return None
    return arguments.named(Text.of(index), call, call.args[-1], "use_reentrant")


def bound(
    index: ModuleIndex, scope: FunctionInfo | None, call: nodes.NodeNG, row: RegionEntry, names: tuple[str, ...]
) -> Edits | None:
    """Edits that bind keywords of a checkpoint call to its function by `functools.partial`.

    None where the function or one of the keywords is not written at the call, or is spread over several lines.
    """
    if not isinstance(call, nodes.Call) or row.sequential or quoted(call) or len(call.args) <= row.argument:
        return None
    if scope is None:
        return None  # the import may come later
    function = call.args[row.argument]
    keywords = [arguments.keyword(call, name) for name in names]
    text = Text.of(index)
    if isinstance(function, nodes.Starred) or not isinstance(function, (nodes.Name, nodes.Attribute, nodes.Lambda)):
        return None
    if any(k is None or "\n" in text.source(k) for k in keywords) or "\n" in text.source(function):
        return None
    partial = spelled(index, scope, "functools", "partial")
    if partial is None:
        return None
    name, wanted = partial
    taken: list[Edits | None] = [arguments.removed(text, call, k) for k in keywords if k is not None]
    texts = [text.source(k) for k in keywords if k is not None]
    edits = [e for one in taken for e in one or ()]
    if len(edits) != len(keywords):
        return None
    around = [inserting(start(function), f"{name}("), inserting(end(function), f", {', '.join(texts)})")]
    return tuple(sorted([*([wanted] if wanted is not None else []), *around, *edits]))


def segments(call: nodes.NodeNG, length: int) -> Edits | None:
    """The edit that asks `checkpoint_sequential` for `length` segments; None where their number is no literal."""
    if not isinstance(call, nodes.Call) or quoted(call):
        return None
    told = arguments.keyword(call, "segments")
    value = call.args[1] if len(call.args) > 1 else told.value if told is not None else None
    return (replaced(value, str(length)),) if isinstance(value, nodes.Const) and length > 0 else None
