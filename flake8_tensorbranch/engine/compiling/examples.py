"""The sizes of example tensors that the source spells out: `torch.randn(1, 3)`, `torch.zeros((1, 8)).half()`."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.tensors import SAME_SHAPE

_MADE: Final = {
    **dict.fromkeys(("randn", "rand", "zeros", "ones", "empty"), 0),
    "full": 0,
    "randint": -1,
}
DEPTH: Final = 4  # how many operations may follow the one that makes a tensor
Sizes = tuple[int | None, ...]  # None for a size that is not a literal


def sizes(origins: Origins, expr: Expr, depth: int = DEPTH) -> Sizes | None:
    """The sizes of the tensor an expression makes; None where its ways of being made differ or are not spelled out."""
    found = {_made(origins, origin, depth - 1) for origin in origins.of(expr)} if depth > 0 else set()
    return found.pop() if len(found) == 1 else None


def _made(origins: Origins, expr: Expr, depth: int) -> Sizes | None:
    node = expr.node
    if not isinstance(node, nodes.Call):
        return None
    func = node.func
    for name in origins.externals(expr):
        last = name.rsplit(".", 1)[-1]
        if name in ("torch.nn.Parameter", "torch.nn.Buffer") and node.args:
            return sizes(origins, Expr(expr.module, expr.scope, node.args[0]), depth)
        if name == "torch.tensor" and node.args:
            return _literal(node.args[0])
        if name == f"torch.{last}" and last in _MADE:
            return _given(origins, expr, node, _MADE[last])
    if isinstance(func, nodes.Attribute):
        inner = Expr(expr.module, expr.scope, func.expr)
        if func.attrname in ("reshape", "view") and node.args:
            known = _given(origins, expr, node, 0)
            return None if known is None or any(size is None or size < 0 for size in known) else known
        if func.attrname in SAME_SHAPE:
            return sizes(origins, inner, depth)
        if func.attrname == "unsqueeze" and len(node.args) == 1 and isinstance(node.args[0], nodes.Const):
            known = sizes(origins, inner, depth)
            at = node.args[0].value
            if known is not None and isinstance(at, int) and 0 <= at <= len(known):
                return (*known[:at], 1, *known[at:])
            if known is None and at == 0:
                return (1,)
    return None


def _given(origins: Origins, expr: Expr, node: nodes.Call, position: int) -> Sizes | None:
    """The sizes that a factory function is given, as numbers or as one tuple."""
    keyword = next((k.value for k in node.keywords if k.arg == "size"), None)
    displays = [a for a in (*node.args, keyword) if isinstance(a, (nodes.Tuple, nodes.List))]
    items: list[Any] = list(displays[-1].elts if displays else node.args if position == 0 and keyword is None else ())
    if not items or any(isinstance(i, nodes.Starred) for i in items):
        return None
    return tuple(_number(origins, Expr(expr.module, expr.scope, i)) for i in items)


def _number(origins: Origins, expr: Expr) -> int | None:
    values = [o.node.value if isinstance(o.node, nodes.Const) else None for o in origins.of(expr)]
    return values[0] if len(values) == 1 and type(values[0]) is int else None


def _literal(node: Any) -> Sizes | None:
    """The sizes of nested displays."""
    found: list[int | None] = []
    while isinstance(node, (nodes.List, nodes.Tuple)):
        if any(isinstance(e, nodes.Starred) for e in node.elts):
            return None
        found.append(len(node.elts))
        if not node.elts:
            break
        node = node.elts[0]
    return tuple(found) if isinstance(node, (nodes.Const, nodes.UnaryOp, nodes.List, nodes.Tuple)) else None
