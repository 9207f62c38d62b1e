"""Tests for emptiness that never hold: of what is selected by an id, where the ids gone over are those that occur."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, last_name

_ASKS: Final = frozenset({"numel", "nelement", "size", "any", "sum", "count_nonzero"})
_KEEPS: Final = frozenset(
    {"item", "tolist", "cpu", "numpy", "squeeze", "flatten", "view", "reshape", "int", "bool", "long", "list", "to"}
)
_FINDS: Final = frozenset({"nonzero", "where", "argwhere"})
_COUNTS: Final = frozenset({"any", "sum", "count_nonzero"})
_EMPTY: Final = frozenset({("==", 0), ("!=", 0), (">", 0), ("<", 1), (">=", 1), ("<=", 0)})
_DEPTH: Final = 8


def never_empty(scope: FunctionInfo | None, test: nodes.NodeNG) -> bool:
    """True for a test that asks whether a selection is empty, where it never is: `x == v` for a `v` out of
    `x.unique()`, and `mask[v]` for a `v` out of the places where a sum or `any` over `mask` found something.
    """
    asked = None if scope is None else _asked(test)
    if scope is None or asked is None:
        return False
    found = _bare(scope, asked)
    if isinstance(found, nodes.Call) and last_name(found.func) in _FINDS:
        found = _bare(scope, _operand(found))
    if isinstance(found, nodes.Compare):
        operator, right = found.ops[-1]
        pairs = ((found.left, right), (right, found.left)) if len(found.ops) == 1 and operator == "==" else ()
        return any(_is_one_of(scope, of, value) for of, value in pairs)
    if isinstance(found, nodes.Subscript):
        parts = found.slice.elts if isinstance(found.slice, nodes.Tuple) else [found.slice]
        return any(_is_hit(scope, found.value, part) for part in parts)
    return False


def _asked(test: Any) -> Any:
    """What a test asks to be empty or not; None for any other question."""
    if isinstance(test, nodes.Compare):
        operator, right = test.ops[0]
        if len(test.ops) > 1 or (operator, getattr(right, "value", None)) not in _EMPTY:
            return None
        test = test.left
    while isinstance(test, nodes.Call) and last_name(test.func) in ("item", "int", "bool"):
        test = _operand(test)
    if isinstance(test, nodes.Subscript):
        shape = test.value
        first = isinstance(test.slice, nodes.Const) and test.slice.value == 0
        return shape.expr if first and isinstance(shape, nodes.Attribute) and shape.attrname == "shape" else None
    called = last_name(test.func) if isinstance(test, nodes.Call) else ""
    return _operand(test) if called in _ASKS or called == "len" else None


def _operand(call: nodes.Call) -> Any:
    """The tensor that a function or a method is about."""
    func = call.func
    if isinstance(func, nodes.Attribute) and dotted(func.expr) not in ("torch", "np", "numpy"):
        return func.expr
    return call.args[0] if call.args else None


def _bare(scope: FunctionInfo, node: Any) -> Any:
    """The expression behind names that are bound once, conversions, and the only item of a tuple of indices."""
    for _ in range(_DEPTH):
        if isinstance(node, nodes.Name):
            bound = scope.local_names.get(node.name, ())
            value = _value(bound[0]) if len(bound) == 1 else None
            if value is None:
                return node
            node = value
        elif isinstance(node, nodes.Call) and last_name(node.func) in _KEEPS:
            node = _operand(node)
        elif isinstance(node, nodes.Subscript) and isinstance(node.slice, nodes.Const) and _finds(node.value):
            node = node.value
        else:
            return node
    return node


def _finds(node: Any) -> bool:
    return isinstance(node, nodes.Call) and last_name(node.func) in _FINDS


def _value(bound: nodes.NodeNG) -> Any:
    """What a target is assigned from; the whole of what finds places, or of `unique` for the first target."""
    parent = bound.parent
    if isinstance(parent, nodes.Tuple) and isinstance(parent.parent, nodes.Assign):
        whole = parent.parent.value
        unique = isinstance(whole, nodes.Call) and last_name(whole.func) == "unique" and parent.elts[0] is bound
        return whole if _finds(whole) or unique else assigned(bound)
    return assigned(bound)


def _gone_over(scope: FunctionInfo, value: Any) -> Any:
    """What the loop goes over that gives a value; None for any other value."""
    value = _bare(scope, value)
    if isinstance(value, nodes.Subscript) and isinstance(value.slice, nodes.Const):
        value = _bare(scope, value.value)  # a row of indices
    bound = list(scope.local_names.get(value.name, [])) if isinstance(value, nodes.Name) else []
    loop = bound[0].parent if len(bound) == 1 else None
    if isinstance(loop, nodes.Tuple):
        loop = loop.parent
    if not isinstance(loop, nodes.For):
        return None
    over = loop.iter
    if isinstance(over, nodes.Call) and last_name(over.func) == "enumerate" and over.args:
        over = over.args[0]
    return _bare(scope, over)


def _is_one_of(scope: FunctionInfo, of: Any, value: Any) -> bool:
    over = _gone_over(scope, value)
    unique = isinstance(over, nodes.Call) and last_name(over.func) == "unique"
    return unique and _is_same(scope, of, _operand(over))


def _is_hit(scope: FunctionInfo, mask: Any, value: Any) -> bool:
    over = _gone_over(scope, value)
    test = _bare(scope, _operand(over)) if _finds(over) else None
    if isinstance(test, nodes.Compare) and len(test.ops) == 1 and test.ops[0][0] == ">":
        test = _bare(scope, test.left) if getattr(test.ops[0][1], "value", None) == 0 else None
    elif isinstance(test, nodes.Call) and last_name(test.func) in ("gt", "greater"):
        test = _bare(scope, _operand(test)) if getattr(test.args[-1], "value", None) == 0 else None
    if not isinstance(test, nodes.Call) or last_name(test.func) not in _COUNTS:
        return False
    return _keeps_first(test) and _is_same(scope, mask, _operand(test))


def _keeps_first(reduction: nodes.Call) -> bool:
    """True for a reduction over named dimensions, none of them the first."""
    method = isinstance(reduction.func, nodes.Attribute) and _operand(reduction) is reduction.func.expr
    given = [*reduction.args[0 if method else 1 :], *(k.value for k in reduction.keywords if k.arg in ("dim", "axis"))]
    dims = [d for g in given[:1] for d in (g.elts if isinstance(g, (nodes.Tuple, nodes.List)) else [g])]
    return bool(dims) and not any(isinstance(d, nodes.Const) and d.value == 0 for d in dims)


def _is_same(scope: FunctionInfo, one: Any, other: Any) -> bool:
    """True for two spellings of a tensor that nothing in the function binds or changes in between."""
    path = dotted(one) if one is not None else None
    if path is None or other is None or path != dotted(other):
        return False
    root = path.split(".", 1)[0]
    return len(scope.local_names.get(root, ())) <= 1 and not any(_changes(scope, path))


def _changes(scope: FunctionInfo, path: str) -> Iterator[bool]:
    for node in scope.node.nodes_of_class((nodes.Assign, nodes.AugAssign, nodes.Call)):
        if isinstance(node, nodes.Call):
            func = node.func
            yield isinstance(func, nodes.Attribute) and func.attrname.endswith("_") and dotted(func.expr) == path
            continue
        for target in node.targets if isinstance(node, nodes.Assign) else [node.target]:
            held = target.value if isinstance(target, nodes.Subscript) else target
            yield not isinstance(held, nodes.AssignName) and dotted(held) == path
