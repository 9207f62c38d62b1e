"""Expressions that make a constant of a size in a traced function: look-ups by it, its bits, its digits (facts I)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import CONTAINER, DATA, HOST, MAPPING, SHAPE, UNBACKED, UNKNOWN
from flake8_tensorbranch.syntax.names import dotted

_SIZES: Final = SHAPE | UNBACKED
_TOLD: Final = ("print", "warn", "warning", "info", "debug", "error", "log")


def specialised(facts: Facts) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG, str]]:
    """Each such expression, the size in it, and its form: `look-up`, `bits` or `digits`."""
    node: Any
    for node in list(facts.values):
        form = "look-up"
        kind = type(node)
        if kind is nodes.Subscript:
            owner, key = node.value, node.slice
        elif kind is nodes.Call:
            func = node.func
            if isinstance(func, nodes.Attribute) and func.attrname == "get" and node.args:
                owner, key = func.expr, node.args[0]
            elif isinstance(func, nodes.Attribute) and func.attrname == "bit_length" and not node.args:
                owner, key, form = node, func.expr, "bits"
            elif "builtins.str" in facts.externals.get(node, {}) and node.args and not _told(node):
                owner, key, form = node, node.args[0], "digits"
            else:
                continue
        else:
            continue
        table, size = facts.values.get(owner, UNKNOWN), facts.values.get(key, UNKNOWN)
        if form == "look-up" and not table.must(CONTAINER | MAPPING):
            continue
        if form == "look-up" and _is_truth(key):
            continue  # two entries: a graph for each outcome, as of a branch
        if size.must(HOST) and size.const is not slice and size.deps & _SIZES and not size.deps & DATA:
            yield node, key, form


def _is_truth(key: nodes.NodeNG) -> bool:
    return isinstance(key, (nodes.Compare, nodes.BoolOp)) or (isinstance(key, nodes.UnaryOp) and key.op == "not")


def _told(node: nodes.NodeNG) -> bool:
    """True for what only goes into an error or a log."""
    up: nodes.NodeNG | None = node
    while up is not None:
        if isinstance(up, (nodes.Raise, nodes.Assert)):
            return True
        if isinstance(up, nodes.Call) and (dotted(up.func) or "").rsplit(".", 1)[-1] in _TOLD:
            return True
        if up.is_statement:
            return False
        up = up.parent
    return False
