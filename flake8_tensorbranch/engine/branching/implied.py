"""Decisions on values that no test is written for: chained comparisons, filters, choices from a table, searches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching import asserted, forms
from flake8_tensorbranch.engine.inference import functional
from flake8_tensorbranch.engine.inference.frame import Facts, Frame
from flake8_tensorbranch.engine.inference.operators import told, truth_deps
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import (
    CONTAINER,
    DATA,
    HOST,
    MAPPING,
    MODULE_KINDS,
    NONDET,
    SETTLED,
    SHAPE,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
)
from flake8_tensorbranch.syntax.binding import binder, in_digits, once, once_global
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex
from flake8_tensorbranch.syntax.walk import LOOKS_UP, TABLES

SEARCH: Final = "search"
"""The form of `x in t`."""

_HOLDS: Final = CONTAINER | MAPPING | MODULE_KINDS


@dataclass(frozen=True, slots=True)
class Implied:
    """One such decision: where it is, what is read, and what that depends on."""

    node: nodes.NodeNG
    subject: nodes.NodeNG
    deps: int
    certain: bool = True
    captured: bool = False  # with `fullgraph=True` its outcome is kept as a symbol


def at(
    analysis: Analysis, module: ModuleIndex, scope: FunctionInfo | None, facts: Facts, node: nodes.NodeNG, eager: bool
) -> Iterator[Implied]:
    """The decision of a chained comparison, a call that lets elements through, or a look-up in a table of ways; `eager`
    says that no tracer sees it.
    """
    if isinstance(node, nodes.Compare):
        value = facts.values.get(node, UNKNOWN)
        sized = value.must(HOST) and value.deps & SHAPE and not value.deps & DATA
        if (value.kinds & TENSOR or sized) and not forms.in_truth_context(node):
            yield Implied(node, node, truth_deps(value), not value.kinds & UNKNOWN_KIND)
    elif isinstance(node, nodes.Subscript) or is_look_up(node):
        key = chosen_by(facts, node, scope)
        if key is not None:
            yield Implied(node, key, truth_deps(facts.values[key]))
    elif isinstance(node, nodes.Call) and not forms.is_asked(node):
        if not asserted.ASKING.isdisjoint(facts.externals.get(node, ())):
            condition = asserted.condition(facts, node, eager)
            if condition is not None:
                yield Implied(node, condition, truth_deps(facts.values[condition]))
            return
        frame = Frame(analysis, module, scope)
        for name, args in facts.externals.get(node, {}).items():
            asked = functional.verdict(frame, name, args, None)
            deps = 0 if asked is None else truth_deps(told(asked))
            if asked is not None and deps & DATA and not deps & SETTLED:
                yield Implied(node, node, deps, not asked.kinds & UNKNOWN_KIND)


def chosen_by(facts: Facts, node: nodes.NodeNG, scope: FunctionInfo | None) -> nodes.NodeNG | None:
    """The key of a look-up by a tensor's value, of a function that is called or in a table that is written in place, or
    bound once to a name; None for any other.
    """
    owner, given = looked_up(node)
    if owner is None or given is None:
        return None
    if scope is not None:
        given = in_digits(scope.local_names, given)
    key = facts.values.get(given, UNKNOWN)
    if not (key.must(TENSOR) or (key.must(HOST) and key.deps & DATA and not key.deps & SETTLED)):
        return None
    if not facts.values.get(owner, UNKNOWN).must(_HOLDS):
        return None
    up = node.parent
    if isinstance(up, nodes.Call) and up.func is node:
        return given
    if isinstance(given, nodes.Name) and isinstance(owner, nodes.Name) and _goes_over(scope, given.name, owner.name):
        return None  # each of them in its round
    if type(written(owner, scope)) not in TABLES:
        return None
    return given if type(owner) in TABLES or is_way(facts.values.get(node, UNKNOWN)) else None


def _goes_over(scope: FunctionInfo | None, key: str, table: str) -> bool:
    """True for the name of a loop over what a table holds."""
    for bound in () if scope is None else scope.local_names.get(key, ()):
        loop = binder(bound)
        if isinstance(loop, (nodes.For, nodes.Comprehension)):
            return any(name.name == table for name in loop.iter.nodes_of_class(nodes.Name))
    return False


def is_way(value: AbstractValue) -> bool:
    """True for a tensor, something that is called, or a structure with a tensor: no number or text."""
    if value.kinds & (TENSOR | MODULE_KINDS):
        return True
    return value.elem is not None and is_way(value.elem)


def is_look_up(node: nodes.NodeNG) -> bool:
    return isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname in LOOKS_UP


def looked_up(node: nodes.NodeNG) -> tuple[nodes.NodeNG | None, nodes.NodeNG | None]:
    """The table and the key of `table[key]`, `table.get(key)` and `table.pop(key)`; None twice for anything else."""
    if isinstance(node, nodes.Subscript):
        return node.value, node.slice
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.args:
        return node.func.expr, node.args[0]
    return None, None


def written(table: nodes.NodeNG, scope: FunctionInfo | None) -> Any:
    """How a table is written: in place, or where its name is bound, if that is once; None where that is not seen."""
    if not isinstance(table, nodes.Name):
        return table
    up = scope
    while up is not None and table.name not in up.local_names:
        up = up.parent
    if up is not None:
        return once(up.local_names, table.name)
    return None if scope is None else once_global(scope.module.bindings, table.name)


def searches(facts: Facts) -> Iterator[Implied]:
    """Each `x in t` whose outcome is kept: it asks a tensor for its truth, as a test does."""
    for node in list(facts.values):
        if type(node) is nodes.Compare and len(node.ops) == 1 and node.ops[0][0] in ("in", "not in"):
            if facts.values.get(node.ops[0][1], UNKNOWN).must(TENSOR) and not forms.is_asked(node):
                deps = DATA | facts.values[node].deps & NONDET
                yield Implied(node, node, deps, captured=node.ops[0][0] == "in")
