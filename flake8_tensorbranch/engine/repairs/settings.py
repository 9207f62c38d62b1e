"""Edits of settings: a switch that is turned, an option that is left out."""

from __future__ import annotations

from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.repairs import arguments
from flake8_tensorbranch.engine.repairs.imports import spelled
from flake8_tensorbranch.engine.repairs.text import Edits, Text, quoted, replaced
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex


def off(value: nodes.NodeNG | None) -> Edits | None:
    """The edit that writes `False` for a literal `True`; None for what is no such literal, or is assigned to more."""
    if not isinstance(value, nodes.Const) or value.value is not True or quoted(value):
        return None
    several = isinstance(value.parent, nodes.Assign) and len(value.parent.targets) > 1
    return None if several else (replaced(value, "False"),)


def left_out(index: ModuleIndex, value: nodes.NodeNG | None, default: str) -> Edits | None:
    """The edit that takes out the keyword argument of a literal bool, or writes its default where that loses a comment.

    None for what is no such literal.
    """
    if not isinstance(value, nodes.Const) or not isinstance(value.value, bool) or quoted(value):
        return None
    argument: Any = value.parent
    call = argument.parent if isinstance(argument, nodes.Keyword) else None
    if not isinstance(call, nodes.Call):
        return None
    return arguments.removed(Text.of(index), call, argument) or (replaced(value, default),)


def seeded(index: ModuleIndex, scope: FunctionInfo | None, call: nodes.Call) -> Edits | None:
    """Edits that give a data loader a generator with a seed, which is an example: which one is for a person."""
    name = spelled(index, scope, "torch", "Generator")
    if quoted(call) or name is None or name[1] is not None:
        return None
    return arguments.added(Text.of(index), call, f"generator={name[0]}().manual_seed(0)")


def raising(index: ModuleIndex, call: nodes.NodeNG) -> Edits | None:
    """The edit that has a switch of deterministic operators raise where it only warned; None if that is no literal."""
    if not isinstance(call, nodes.Call) or quoted(call):
        return None
    warn = arguments.keyword(call, "warn_only")
    if warn is not None:
        return left_out(index, warn.value, "False")
    mode = arguments.keyword(call, "debug_mode")
    value = call.args[0] if call.args else mode.value if mode is not None else None
    if not isinstance(value, nodes.Const) or isinstance(value.value, bool):
        return None  # what says that it only warns is not written here
    if value.value == 1:
        return (replaced(value, "2"),)
    return (replaced(value, Text.of(index).source(value).replace("warn", "error")),) if value.value == "warn" else None
