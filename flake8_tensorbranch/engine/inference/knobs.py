"""Knobs: constructors' parameters that may be tensors by their declaration, and are numbers by what is done to them."""

from __future__ import annotations

from typing import Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.lattice import CONTAINER, HOST, TENSOR, AbstractValue
from flake8_tensorbranch.syntax.names import FunctionInfo, Param, dotted

_CONVERTED: Final = frozenset({"float", "int", "bool"})
_TESTS: Final = (nodes.BoolOp, nodes.UnaryOp, nodes.If, nodes.IfExp, nodes.Assert, nodes.While)


def is_plain(function: FunctionInfo, param: Param, said: AbstractValue) -> bool:
    """True for a parameter of a constructor, a number (or several) by default, that is compared with literals or with
    itself and not computed with: `lr: float | Tensor = 1e-3` and `if lr < 0: raise`.
    """
    if function.name != "__init__" or not said.kinds & TENSOR or not said.kinds & (HOST | CONTAINER):
        return False
    if param.default is None or not _is_number(param.default) or not isinstance(function.node.body, list):
        return False
    compared = False
    for name in _names(function).get(param.name, ()):
        used = _used(name)
        if used is None:
            return False
        compared |= used
    return compared


def _names(function: FunctionInfo) -> dict[str, list[nodes.Name]]:
    """Where a constructor mentions each name; looked through once for all of its parameters."""
    memo, key = function.module.memo, ("mentioned", function)
    if key not in memo:
        found: dict[str, list[nodes.Name]] = {}
        for statement in cast("list[nodes.NodeNG]", function.node.body):
            for name in statement.nodes_of_class(nodes.Name):
                found.setdefault(name.name, []).append(name)
        memo[key] = found
    return cast("dict[str, list[nodes.Name]]", memo[key])


def _is_number(node: nodes.NodeNG) -> bool:
    if isinstance(node, nodes.UnaryOp):
        node = node.operand
    if isinstance(node, (nodes.Tuple, nodes.List)):
        return bool(node.elts) and all(isinstance(e, nodes.NodeNG) and _is_number(e) for e in node.elts)
    return isinstance(node, nodes.Const) and type(node.value) in (int, float)


def _used(name: nodes.Name) -> bool | None:
    """True where a name is compared with literals or itself, None where it is computed with, False where it is handed
    on.
    """
    node: nodes.NodeNG = name
    up = name.parent
    while isinstance(up, nodes.Subscript) and up.value is node:
        node, up = up, up.parent
    if isinstance(up, nodes.Compare):
        sides = [up.left, *(right for _, right in up.ops)]
        if all(side is node or _is_literal(side, name.name) for side in sides):
            return not any(isinstance(side, nodes.Const) and side.value is None for side in sides)
        return None
    if isinstance(up, nodes.Call) and node in up.args:
        called = up.func
        if isinstance(called, nodes.Name):
            return None if called.name in _CONVERTED else False
        return None if (dotted(called) or "").startswith("torch.") and len(up.args) > 1 else False
    if isinstance(up, (nodes.BinOp, nodes.AugAssign, nodes.Attribute, nodes.Starred, *_TESTS)):
        return None
    return False


def _is_literal(node: nodes.NodeNG, name: str) -> bool:
    if isinstance(node, nodes.UnaryOp):
        node = node.operand
    if isinstance(node, nodes.Const):
        return True
    if isinstance(node, nodes.Subscript):
        return isinstance(node.value, nodes.Name) and node.value.name == name
    return (
        isinstance(node, nodes.Call)
        and isinstance(node.func, nodes.Name)
        and node.func.name == "float"
        and all(isinstance(a, nodes.Const) for a in node.args)
    )
