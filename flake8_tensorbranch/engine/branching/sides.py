"""What tells, by form, that the two sides of a branch are not to be picked between: another size, a table's look-up."""

from __future__ import annotations

from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import TENSOR, UNKNOWN
from flake8_tensorbranch.engine.sink import LOOKED_UP, RESIZED
from flake8_tensorbranch.knowledge.tensors import RESIZING
from flake8_tensorbranch.syntax.names import last_name


def apart(facts: Facts, node: Any) -> str:
    """`RESIZED` where one side alone cuts, joins or pads what it gives; `LOOKED_UP` where the test asks whether a
    table holds something; empty for any other branch.
    """
    if not isinstance(node, (nodes.If, nodes.IfExp)):
        return ""
    if any(_asks_a_table(facts, part) for part in node.test.nodes_of_class(nodes.Compare)):
        return LOOKED_UP
    sides = [node.body, node.orelse] if isinstance(node, nodes.If) else [[node.body], [node.orelse]]
    return RESIZED if sum(any(_resizes(_given(s)) for s in side) for side in sides) == 1 else ""


def _asks_a_table(facts: Facts, test: nodes.Compare) -> bool:
    operator, table = test.ops[-1]
    return operator in ("in", "not in") and not facts.values.get(table, UNKNOWN).kinds & TENSOR


def _given(node: Any) -> Any:
    """What a statement assigns or returns."""
    return node.value if isinstance(node, (nodes.Assign, nodes.AnnAssign, nodes.Return)) else node


def _resizes(value: Any) -> bool:
    """True for a slice with a bound, and for what joins, pads or repeats."""
    if isinstance(value, nodes.Call):
        return last_name(value.func) in RESIZING
    if not isinstance(value, nodes.Subscript):
        return False
    parts = value.slice.elts if isinstance(value.slice, nodes.Tuple) else [value.slice]
    return any(isinstance(p, nodes.Slice) and (p.lower is not None or p.upper is not None) for p in parts)
