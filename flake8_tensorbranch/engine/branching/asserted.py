"""Which form of `assert` a compiler of frames records: one whose last test is a tensor's, and no other reads one."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.branching.forms import is_reported_assert
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.operators import told, truth_deps
from flake8_tensorbranch.engine.lattice import DATA, HOST, TENSOR, UNKNOWN
from flake8_tensorbranch.syntax.names import called_name
from flake8_tensorbranch.syntax.walk import CHECKS

RECORDED: Final = "assert"
"""The form of one that becomes an operation of the graph."""

CALL: Final = "torch._assert"
"""A function that asks its condition as `assert` does: it waits, and cuts the graph (observed, torch 2.13)."""

NUMBERS: Final = frozenset({CALL} | {f"torch.{name}" for name in CHECKS - {"_check_tensor_all"}})  # any order
"""Functions that ask a condition which is a number of Python's; where it is read for them, they are what waits."""

ALL: Final = "torch._check_tensor_all"
"""A function that reads whether a mask holds throughout (observed, torch 2.13)."""

ASKING: Final = NUMBERS | {ALL}
"""All of these."""

CAPTURES: Final = "capture_scalar_outputs"
"""The setting of a file by which numbers are captured without `fullgraph=True`."""

_CAPTURED: Final = frozenset({"bool", "float", "int", "item"})


def form(facts: Facts, node: nodes.Assert, whole: bool) -> str:
    """How an `assert` reads: `RECORDED`, or why it is no operation of the graph (observed, torch 2.13:
    tests/oracle/test_forms_asserted.py). With `whole`, single numbers are captured, as `fullgraph=True` does.
    """
    if is_reported_assert(node):
        return "assert with message"
    return RECORDED if _is_recorded(facts, node.test, whole) else "assert in parts"


def condition(facts: Facts, call: nodes.Call, eager: bool) -> nodes.NodeNG | None:
    """What a call asks the value of before it raises: a tensor, or where it runs `eager` also a number that is read in
    place, or for the call alone; a compiler captures that one. None for any other call.
    """
    names = facts.externals.get(call, {})
    if CALL not in names and not eager:
        return None
    named = (k.value for k in call.keywords if k.arg in ("cond", "condition"))
    asked = call.args[0] if call.args else next(named, None)
    value = facts.values.get(asked, UNKNOWN) if asked is not None else UNKNOWN
    if (CALL in names or ALL in names) and value.must(TENSOR):
        return asked
    if not eager or asked is None or NUMBERS.isdisjoint(names) or not value.must(HOST) or not value.deps & DATA:
        return None
    return asked if any(_reads(facts, c) for c in asked.nodes_of_class(nodes.Call)) else None


def _is_recorded(facts: Facts, test: nodes.NodeNG, whole: bool, alone: bool = True) -> bool:
    """False where Python jumps on a value in the test itself: before its last operand, under `not`, in a chain."""
    if isinstance(test, nodes.NamedExpr):
        return _is_recorded(facts, test.value, whole, alone)
    if isinstance(test, nodes.BoolOp):
        *others, last = test.values
        return not any(_reads(facts, other) for other in others) and _is_recorded(facts, last, whole, alone)
    if not _reads(facts, test):
        return True
    if isinstance(test, (nodes.IfExp, nodes.UnaryOp)) or (isinstance(test, nodes.Compare) and len(test.ops) > 1):
        return isinstance(test, nodes.UnaryOp) and test.op != "not"
    if facts.values.get(test, UNKNOWN).kinds & TENSOR or isinstance(test, nodes.Name):
        return not _searched(test)
    # A number that was read: the read itself ends the graph, unless it is captured and asked for once.
    return whole and not _searched(test) and all(called_name(c) in _CAPTURED for c in _reading(facts, test))


def _reading(facts: Facts, test: nodes.NodeNG) -> list[nodes.Call]:
    """The calls in a test that give what was read of a tensor."""
    calls = test.nodes_of_class(nodes.Call)
    return [c for c in calls if not facts.values.get(c, UNKNOWN).kinds & TENSOR and _reads(facts, c)]


def _reads(facts: Facts, test: nodes.NodeNG) -> bool:
    """True where the truth of an expression, or of a part of it that is asked, is a tensor's value."""
    if isinstance(test, nodes.BoolOp):
        return any(_reads(facts, value) for value in test.values)
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return _reads(facts, test.operand)
    return bool(truth_deps(told(facts.values.get(test, UNKNOWN))) & DATA)


def _searched(test: nodes.NodeNG) -> bool:
    return isinstance(test, nodes.Compare) and test.ops[-1][0] in ("in", "not in")
