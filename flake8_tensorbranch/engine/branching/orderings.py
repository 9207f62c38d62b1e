"""Calls that order tensors by their values on the host: `sorted`, `list.sort`, `min` and `max`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import calls
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.frame import Facts, Frame
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import CONTAINER, DATA, TENSOR, UNKNOWN, AbstractValue, element
from flake8_tensorbranch.syntax.names import FunctionInfo, last_name

_FIRST: Final = frozenset({"min", "max"})
ORDER: Final = "order"
"""The form of such a site."""


def orderings(program: Program, scope: FunctionInfo | None, facts: Facts) -> Iterator[tuple[nodes.Call, str, bool]]:
    """Each such call, what its order decides, and whether a tracer keeps it: `min` and `max` of tensors alone."""
    for node in list(facts.values):
        if type(node) is not nodes.Call:
            continue
        func = node.func
        name = last_name(func)
        if name != "sorted" and name not in _FIRST and name != "sort":
            continue
        if isinstance(func, nodes.Name) and name != "sort":
            if f"builtins.{name}" not in facts.values.get(func, UNKNOWN).refs or not node.args:
                continue
            values = [facts.values.get(a, UNKNOWN) for a in node.args]
            several = name in _FIRST and len(values) > 1
            ordered = values if several else [element(values[0])] if values[0].must(CONTAINER) else []
        elif isinstance(func, nodes.Attribute) and name == "sort":
            owner = facts.values.get(func.expr, UNKNOWN)
            ordered = [element(owner)] if owner.must(CONTAINER) else []
        else:
            continue
        key = next((k.value for k in node.keywords if k.arg == "key"), None)
        keyed = key is not None and not (isinstance(key, nodes.Const) and key.value is None)
        if key is not None and keyed:
            ordered = [_applied(program, scope, facts, key, value) for value in ordered if _holds_tensors(value)]
        alone = not keyed and not any(value.must(CONTAINER) for value in ordered)
        ordered = ordered if keyed else [_first(value) for value in ordered]
        if any(value.must(TENSOR) or (keyed and value.deps & DATA) for value in ordered):
            yield node, "which one is taken" if name in _FIRST else "the order", name in _FIRST and alone


def _first(value: AbstractValue) -> AbstractValue:
    """What is compared of an element: of pairs, what comes first."""
    return value.items[0][1] if value.items and value.must(CONTAINER) else value


def _holds_tensors(value: AbstractValue) -> bool:
    """True for a tensor, and for a tuple with one in it."""
    return value.must(TENSOR) or (value.must(CONTAINER) and any(v.must(TENSOR) for _, v in value.items or ()))


def _applied(
    program: Program, scope: FunctionInfo | None, facts: Facts, key: nodes.NodeNG, value: AbstractValue
) -> AbstractValue:
    """What a key function makes of an element."""
    frame = Frame(program.analysis, program.index, scope)
    return calls.apply(frame, facts.values.get(key, UNKNOWN), Arguments([value]), None)
