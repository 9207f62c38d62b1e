"""Decisions on values that no test is written for: chained comparisons, filters, choices from a table, searches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.branching import forms
from flake8_tensorbranch.engine.branching.asserted import CALL
from flake8_tensorbranch.engine.inference import functional
from flake8_tensorbranch.engine.inference.frame import Facts, Frame
from flake8_tensorbranch.engine.inference.operators import told, truth_deps
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import (
    CONTAINER,
    DATA,
    HOST,
    MAPPING,
    NONDET,
    SETTLED,
    SHAPE,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
)
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

SEARCH: Final = "search"
"""The form of `x in t`."""

_DISPLAYS: Final = (nodes.Dict, nodes.List, nodes.Tuple)


@dataclass(frozen=True, slots=True)
class Implied:
    """One such decision: where it is, what is read, and what that depends on."""

    node: nodes.NodeNG
    subject: nodes.NodeNG
    deps: int
    certain: bool = True
    captured: bool = False  # with `fullgraph=True` its outcome is kept as a symbol


def at(
    analysis: Analysis, module: ModuleIndex, scope: FunctionInfo | None, facts: Facts, node: nodes.NodeNG
) -> Iterator[Implied]:
    """The decision of a chained comparison, a call that lets elements through, or a look-up in a table of ways."""
    if isinstance(node, nodes.Compare):
        value = facts.values.get(node, UNKNOWN)
        sized = value.must(HOST) and value.deps & SHAPE and not value.deps & DATA
        if (value.kinds & TENSOR or sized) and not forms.in_truth_context(node):
            yield Implied(node, node, truth_deps(value), not value.kinds & UNKNOWN_KIND)
    elif isinstance(node, nodes.Subscript):
        key = chosen_by(facts, node, scope)
        if key is not None:
            yield Implied(node, key, truth_deps(facts.values[key]))
    elif isinstance(node, nodes.Call) and not forms.is_asked(node):
        if CALL in facts.externals.get(node, ()):
            condition = (
                node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "condition"), None)
            )
            if condition is not None and facts.values.get(condition, UNKNOWN).must(TENSOR):
                yield Implied(node, condition, truth_deps(facts.values[condition]))
            return
        frame = Frame(analysis, module, scope)
        for name, args in facts.externals.get(node, {}).items():
            asked = functional.verdict(frame, name, args, None)
            deps = 0 if asked is None else truth_deps(told(asked))
            if asked is not None and deps & DATA and not deps & SETTLED:
                yield Implied(node, node, deps, not asked.kinds & UNKNOWN_KIND)


def chosen_by(facts: Facts, node: nodes.Subscript, scope: FunctionInfo | None) -> nodes.NodeNG | None:
    """The key of a look-up by a tensor's value in a table written in place or bound once; None for any other."""
    key = facts.values.get(node.slice, UNKNOWN)
    if not (key.must(TENSOR) or (key.must(HOST) and key.deps & DATA and not key.deps & SETTLED)):
        return None
    if not facts.values.get(node.value, UNKNOWN).must(CONTAINER | MAPPING):
        return None
    table: nodes.NodeNG | None = node.value
    if isinstance(table, nodes.Name) and scope is not None:
        table = once(scope.local_names, table.name)
    return node.slice if isinstance(table, _DISPLAYS) else None


def searches(facts: Facts) -> Iterator[Implied]:
    """Each `x in t` whose outcome is kept: it asks a tensor for its truth, as a test does."""
    for node in list(facts.values):
        if type(node) is nodes.Compare and len(node.ops) == 1 and node.ops[0][0] in ("in", "not in"):
            if facts.values.get(node.ops[0][1], UNKNOWN).must(TENSOR) and not forms.is_asked(node):
                deps = DATA | facts.values[node].deps & NONDET
                yield Implied(node, node, deps, captured=node.ops[0][0] == "in")
