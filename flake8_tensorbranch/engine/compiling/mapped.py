"""Numbers that Python takes from tensors without being asked for one: by an index, a format, a factory of tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import CONTAINER, MASK, TENSOR, UNKNOWN, AbstractValue, element
from flake8_tensorbranch.knowledge.randomness import DRAWN_IN_PLACE
from flake8_tensorbranch.knowledge.tracing import (
    COPIES_NUMBERS,
    FORMATS_NUMBERS,
    KEEPS_TENSORS,
    LEAVES_TORCH,
    METHODS_NUMBERS_OF,
    NUMBERS_OF,
    TESTS_EACH,
)
from flake8_tensorbranch.syntax.names import FunctionInfo


def numbers(scope: FunctionInfo, facts: Facts) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG]]:
    """Each expression of a function that has such a number, and the tensor that it is of (observed under `vmap`:
    tests/oracle/test_forms_mapped.py).
    """
    node: Any
    for node in facts.values:
        if isinstance(node, nodes.Subscript):
            yield from ((node, part) for part in _indices(facts, node))
        elif isinstance(node, nodes.Call):
            yield from ((node, part) for part in _given(facts, node))
    yield from formatted(scope, facts)


def refused(scope: FunctionInfo, facts: Facts) -> Iterator[nodes.NodeNG]:
    """Of these expressions, those that stop an export: truth, formats, NumPy, tensors in what `torch.tensor` copies;
    sizes and indices stay symbols (observed: tests/oracle/test_forms_exported.py).
    """
    for node in facts.values:
        if isinstance(node, nodes.Call) and (
            any(_asked(facts, node)) or any(name in COPIES_NUMBERS for name, _ in given(facts, node))
        ):
            yield node
    yield from (node for node, _ in formatted(scope, facts))


def formatted(scope: FunctionInfo, facts: Facts) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG]]:
    """The tensors that a text is made of by a format that asks for a number."""
    node: Any
    for node in facts.values:
        if isinstance(node, nodes.BinOp) and node.op == "%" and _asks_number(node.left):
            parts: list[Any] = node.right.elts if isinstance(node.right, nodes.Tuple) else [node.right]
            yield from ((node, part) for part in parts if _is_tensor(facts, part))
    for node in scope.node.nodes_of_class(nodes.FormattedValue):
        if node.format_spec is not None and _is_tensor(facts, node.value):
            yield node.value, node.value


def masked(scope: FunctionInfo, facts: Facts) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG]]:
    """Each assignment to the elements that a mask picks, and the mask: how many there are depends on values."""
    target: Any
    for statement in scope.node.nodes_of_class((nodes.Assign, nodes.AugAssign)):
        for target in statement.targets if isinstance(statement, nodes.Assign) else [statement.target]:
            if isinstance(target, nodes.Subscript):
                index = facts.values.get(target.slice, UNKNOWN)
                if index.must(TENSOR) and index.deps & MASK:
                    yield target, target.slice


def _indices(facts: Facts, node: nodes.Subscript) -> Iterator[nodes.NodeNG]:
    """The tensors that pick an element of a list, or are bounds of a slice."""
    index: Any = node.slice
    if isinstance(index, nodes.Slice):
        yield from (p for p in (index.lower, index.upper, index.step) if p is not None and _is_tensor(facts, p))
    elif facts.values.get(node.value, UNKNOWN).must(CONTAINER) and _is_tensor(facts, index):
        yield index


def _given(facts: Facts, call: nodes.Call) -> Iterator[nodes.NodeNG]:
    """The tensors of which a call takes numbers, or asks whether they are true."""
    func = call.func
    yield from _asked(facts, call)
    if isinstance(func, nodes.Name) and func.name == "bool" and not isinstance(call.parent, nodes.Assign):
        yield from (p for p in call.args if _is_tensor(facts, p))
    yield from (part for _, part in given(facts, call))


def _asked(facts: Facts, call: nodes.Call) -> Iterator[nodes.NodeNG]:
    """The tensors that a call asks for their truth one by one, puts into a text as numbers, or gives to NumPy."""
    func = call.func
    asked = quantified(facts, call)
    if asked is not None:
        yield asked
    elif isinstance(func, nodes.Name) and func.name == "format" and len(call.args) == 2:
        yield from (p for p in call.args[:1] if _is_tensor(facts, p))
    elif isinstance(func, nodes.Attribute) and func.attrname == "format" and isinstance(func.expr, nodes.Const):
        yield from (p for p in call.args if ":" in str(func.expr.value) and _is_tensor(facts, p))
    elif isinstance(func, nodes.Attribute) and func.attrname in LEAVES_TORCH and _is_tensor(facts, func.expr):
        yield func.expr


def quantified(facts: Facts, call: nodes.Call) -> nodes.NodeNG | None:
    """What `any` or `all` goes over, a tensor or a container with one in it; None for any other call."""
    if not isinstance(call.func, nodes.Name) or call.func.name not in TESTS_EACH or len(call.args) != 1:
        return None
    value = facts.values.get(call.args[0], UNKNOWN)
    return call.args[0] if value.must(TENSOR) or _holds(value) else None


def given(facts: Facts, call: nodes.Call) -> Iterator[tuple[str, nodes.NodeNG]]:
    """The arguments of which a function or method of torch takes numbers, each with its name."""
    func = call.func
    taken = [(name, NUMBERS_OF[name]) for name in facts.externals.get(call, ()) if name in NUMBERS_OF]
    if isinstance(func, nodes.Attribute) and func.attrname in METHODS_NUMBERS_OF and _is_tensor(facts, func.expr):
        taken = [(func.attrname, METHODS_NUMBERS_OF[func.attrname])]
    for name, (first, last, keywords) in taken[:1]:
        for part in (*call.args[first:last], *(k.value for k in call.keywords if k.arg in keywords)):
            value = facts.values.get(part, UNKNOWN)
            if (value.must(TENSOR) and name not in KEEPS_TENSORS) or _holds(value):
                yield name, part


def drawn(facts: Facts, node: nodes.NodeNG) -> bool:
    """True for a call that fills a tensor from a generator in place, and for one that is given a generator."""
    if not isinstance(node, nodes.Call):
        return False
    func = node.func
    if isinstance(func, nodes.Attribute) and func.attrname in DRAWN_IN_PLACE:
        return _is_tensor(facts, func.expr)
    given = (k.value for k in node.keywords if k.arg == "generator")
    told = any(not (isinstance(g, nodes.Const) and g.value is None) for g in given)
    return told and any(name.startswith("torch.") for name in facts.externals.get(node, ()))


def _asks_number(text: nodes.NodeNG) -> bool:
    """True for a text with a conversion that asks for a number."""
    if not isinstance(text, nodes.Const) or not isinstance(text.value, str):
        return False
    return any(found in FORMATS_NUMBERS for found in re.findall(r"%[-+ #0-9.]*([a-zA-Z])", text.value))


def _holds(value: AbstractValue) -> bool:
    """True for a container with a tensor in it."""
    items = [item for _, item in value.items or ()]
    return value.must(CONTAINER) and any(item.must(TENSOR) for item in (items or [element(value)]))


def _is_tensor(facts: Facts, node: nodes.NodeNG) -> bool:
    return facts.values.get(node, UNKNOWN).must(TENSOR)
