"""Subscripts by a tensor of rank 0: the compiler has no number to select by, and no graph that holds the place."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import TENSOR, UNKNOWN
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.names import FunctionInfo

_WHOLE: Final = frozenset({"argmax", "argmin", "sum"})
"""Reductions that give a single number of rank 0 where they are given no dimension; none of them gives a bool."""
_SELECTS: Final = frozenset({"select", "narrow"})
_DEPTH: Final = 4


def index(scope: FunctionInfo, facts: Facts, node: Any) -> nodes.NodeNG | None:
    """The tensor of rank 0 by which an expression selects of a tensor (observed: tests/oracle/test_forms_indexed.py);
    None where it may have a dimension.
    """
    if isinstance(node, nodes.Subscript):
        given: list[Any] = node.slice.elts if isinstance(node.slice, nodes.Tuple) else [node.slice]
        owner: Any = node.value
    elif (
        isinstance(node, nodes.Call)
        and isinstance(node.func, nodes.Attribute)
        and node.func.attrname in _SELECTS
        and len(node.args) >= 2
    ):
        outside = any(name.startswith("torch.") for name in facts.externals.get(node, ()))
        owner, given = node.func.expr, node.args[1:2]
        if outside and not facts.values.get(owner, UNKNOWN).must(TENSOR):
            owner, given = node.args[0], node.args[2:3]
    else:
        return None
    found: nodes.NodeNG | None = next((g for g in given if _is_single(scope, facts, g, _DEPTH)), None)
    return found if found is not None and facts.values.get(owner, UNKNOWN).must(TENSOR) else None


def _is_single(scope: FunctionInfo, facts: Facts, node: Any, depth: int) -> bool:
    """True for what a reduction over a whole tensor gives, also with whole numbers added."""
    if depth <= 0:
        return False
    if isinstance(node, nodes.Name):
        made = once(scope.local_names, node.name)
        return made is not None and _is_single(scope, facts, made, depth - 1)
    if isinstance(node, nodes.BinOp) and node.op in ("+", "-", "*", "//", "%"):
        sides = (node.left, node.right)
        single = [_is_single(scope, facts, side, depth - 1) for side in sides]
        return any(single) and all(ok or isinstance(s, nodes.Const) for ok, s in zip(single, sides, strict=True))
    if not isinstance(node, nodes.Call) or node.keywords or not isinstance(node.func, nodes.Attribute):
        return False
    if node.func.attrname not in _WHOLE or not facts.values.get(node, UNKNOWN).must(TENSOR):
        return False
    receiver = facts.values.get(node.func.expr, UNKNOWN)
    return receiver.must(TENSOR) if not node.args else len(node.args) == 1 and not receiver.kinds & TENSOR
