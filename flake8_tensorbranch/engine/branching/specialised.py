"""Expressions that make a constant of a size in a traced function: look-ups by it, its bits, its digits (facts I)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching.forms import is_asked, rows_of
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import CONTAINER, DATA, HOST, MAPPING, SHAPE, TENSOR, UNBACKED, UNKNOWN
from flake8_tensorbranch.knowledge.frameworks import TELLS
from flake8_tensorbranch.syntax.names import called_name

_SIZES: Final = SHAPE | UNBACKED

_GOES_OVER: Final = {
    **dict.fromkeys((f"builtins.{name}" for name in ("iter", "len", "list", "set", "sorted", "sum", "tuple")), 0),
    "builtins.map": 1,
    "functools.reduce": 1,
}
"""Functions that go through what they are given, by its position."""

_SPELLED: Final = {
    **{f"builtins.{name}": "digits" for name in ("bin", "hex", "oct")},
    **{f"builtins.{name}": "text" for name in ("str", "repr", "format")},
    "builtins.hash": "hash",
}
"""Functions that spell a number out, and the form that is."""

_ASKING: Final = ("getattr", "len")
_TAKEN_APART: Final = (nodes.List, nodes.Tuple)


def gone_over(facts: Facts) -> Iterator[nodes.NodeNG]:
    """Each tensor whose rows a function goes through, and each `range` of a size, outside of loops: they are unrolled
    (observed: tests/oracle/test_forms_sizes.py).
    """
    node: Any
    for node in list(facts.values):
        up = type(node.parent)
        if (
            up is nodes.Starred or (up is nodes.Assign and type(node.parent.targets[0]) in _TAKEN_APART)
        ) and _is_spread(facts, node):
            rows = node if facts.values[node].must(TENSOR) else rows_of(node) if _is_of_first(node) else None
            if rows is not None:
                yield rows
        if type(node) is not nodes.Call:
            continue
        names = facts.externals.get(node, {})
        place = next((_GOES_OVER[name] for name in names if name in _GOES_OVER), len(node.args))
        if len(node.args) <= place or is_asked(node) or _told(node) or _is_named(node):
            continue
        given = node.args[place]
        value = facts.values.get(given, UNKNOWN)
        counted = "builtins.range" in facts.externals.get(given, {}) and value.deps & _SIZES and not value.deps & DATA
        if counted or (value.must(TENSOR) and "builtins.len" not in names):
            yield given


def _is_of_first(call: Any) -> bool:
    """False for `x.unbind(1)`: the sizes of other dimensions than the first are likely fixed ones."""
    numbers = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, nodes.Call) else []
    unbinds = isinstance(call, nodes.Call) and called_name(call) == "unbind"
    return not unbinds or not any(isinstance(n, nodes.UnaryOp) or getattr(n, "value", 0) != 0 for n in numbers)


def _is_spread(facts: Facts, node: nodes.NodeNG) -> bool:
    """True for `a, *rest = x`, `[*x]` and `f(*x)`, where the function takes any number."""
    up = node.parent
    if isinstance(up, nodes.Assign):
        target: Any = up.targets[0]
        return up.value is node and any(type(e) is nodes.Starred for e in target.elts)
    if not isinstance(up, nodes.Starred):
        return False
    if isinstance(up.parent, nodes.Call):
        callees = facts.calls.get(up.parent, ())
        return bool(facts.externals.get(up.parent)) or any(callee.vararg for callee in callees)
    named = up.parent.parent if up.parent is not None else None
    return not isinstance(named, nodes.Assign) or not isinstance(named.targets[0], nodes.Tuple)


def specialised(facts: Facts) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG, str]]:
    """Each such expression, the size in it, and its form: `look-up`, `get` (one that may miss), `bits`, `digits`,
    `text`, `hash` or `repeated list`.
    """
    node: Any
    for node in list(facts.values):
        form = "look-up"
        kind = type(node)
        if kind is nodes.Subscript:
            owner, key = node.value, node.slice
        elif kind is nodes.Call:
            func = node.func
            if isinstance(func, nodes.Attribute) and func.attrname == "get" and node.args:
                owner, key, form = func.expr, node.args[0], "get"
            elif isinstance(func, nodes.Attribute) and func.attrname == "bit_length" and not node.args:
                owner, key, form = node, func.expr, "bits"
            elif node.args and (spelled := _spelled(facts, node)) and not _told(node):
                owner, key, form = node, node.args[0], spelled
            else:
                continue
        elif kind is nodes.JoinedStr:
            parts = [p.value for p in node.values if isinstance(p, nodes.FormattedValue)]
            sized = [p for p in parts if facts.values.get(p, UNKNOWN).deps & _SIZES]
            if not sized or not _is_asked_for(node):
                continue
            owner, key, form = node, sized[0], "text"
        elif kind is nodes.BinOp and node.op == "*":
            sides = (node.left, node.right) if isinstance(node.left, nodes.List) else (node.right, node.left)
            if not isinstance(sides[0], nodes.List):
                continue
            owner, key, form = node, sides[1], "repeated list"
        else:
            continue
        table, size = facts.values.get(owner, UNKNOWN), facts.values.get(key, UNKNOWN)
        looked = form in ("look-up", "get")
        if looked and not table.must(CONTAINER | MAPPING):
            continue
        if looked and _is_truth(key):
            continue  # two entries: a graph for each outcome, as of a branch
        if size.must(HOST) and size.const is not slice and size.deps & _SIZES and not size.deps & DATA:
            yield node, key, form


def _spelled(facts: Facts, call: nodes.Call) -> str:
    return next((_SPELLED[name] for name in facts.externals.get(call, ()) if name in _SPELLED), "")


def _is_asked_for(text: nodes.NodeNG) -> bool:
    """True for a text that something is looked up by, or whose length is taken: most others are words of a message."""
    up = text.parent
    if isinstance(up, nodes.Subscript):
        return up.slice is text
    func = up.func if isinstance(up, nodes.Call) else None
    return (isinstance(func, nodes.Attribute) and func.attrname == "get") or getattr(func, "name", "") in _ASKING


def _is_named(node: nodes.Call) -> bool:
    """True for what is unpacked into names, or goes over a slice that ends: the number is the source's."""
    up, given = node.parent, node.args[-1]
    if isinstance(up, nodes.Assign) and isinstance(up.targets[0], nodes.Tuple):
        return not any(isinstance(e, nodes.Starred) for e in up.targets[0].elts)
    cut = given.slice if isinstance(given, nodes.Subscript) else None
    return isinstance(cut, nodes.Slice) and isinstance(cut.upper, nodes.Const)


def _is_truth(key: nodes.NodeNG) -> bool:
    while isinstance(key, nodes.Call) and getattr(key.func, "name", "") in ("bool", "int") and len(key.args) == 1:
        key = key.args[0]
    return isinstance(key, (nodes.Compare, nodes.BoolOp)) or (isinstance(key, nodes.UnaryOp) and key.op == "not")


def _told(node: nodes.NodeNG) -> bool:
    """True for what only goes into an error or a log."""
    up: nodes.NodeNG | None = node
    while up is not None:
        if isinstance(up, (nodes.Raise, nodes.Assert)):
            return True
        if isinstance(up, nodes.Call) and called_name(up) in TELLS:
            return True
        if up.is_statement:
            return False
        up = up.parent
    return False
