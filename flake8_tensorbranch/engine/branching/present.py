"""Tests for emptiness that never hold: of what is selected by an id, where the ids gone over are those that occur."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.knowledge.tensors import ASKS_EMPTY, COUNTS_TRUE, FINDS_PLACES, SAME_ELEMENTS
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, last_name

_EMPTY: Final = frozenset({("==", 0), ("!=", 0), (">", 0), ("<", 1), (">=", 1), ("<=", 0)})
_DEPTH: Final = 8


def never_empty(scope: FunctionInfo | None, test: nodes.NodeNG) -> bool:
    """True for a test that asks whether a selection is empty, where it never is: `x == v` for a `v` out of
    `x.unique()`, and `mask[v]` for a `v` out of the places where a sum or `any` over `mask` found something.
    """
    asked = None if scope is None else _asked(test)
    loop = None if asked is None else _loop(test)
    if scope is None or loop is None:
        return False
    return _Selection(scope, loop).is_of_present(asked)


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
    return _operand(test) if called in ASKS_EMPTY or called == "len" else None


def _operand(call: nodes.Call) -> Any:
    """The tensor that a function or a method is about."""
    func = call.func
    if isinstance(func, nodes.Attribute) and dotted(func.expr) not in ("torch", "np", "numpy"):
        return func.expr
    return call.args[0] if call.args else None


def _loop(node: nodes.NodeNG) -> nodes.For | None:
    """The innermost loop around a test."""
    up = node.parent
    while up is not None and not isinstance(up, (nodes.For, *FRAMES)):
        up = up.parent
    return up if isinstance(up, nodes.For) else None


def _finds(node: Any) -> bool:
    return isinstance(node, nodes.Call) and last_name(node.func) in FINDS_PLACES


class _Selection:
    """What a loop selects, behind the names that each of its rounds binds once."""

    def __init__(self, scope: FunctionInfo, loop: nodes.For) -> None:
        self.scope = scope
        self.loop = loop

    def is_of_present(self, asked: Any) -> bool:
        """True for what an id selects that occurs; `asked` is the selection, its mask, or the places of that mask."""
        found = self._bare(asked)
        if _finds(found):
            found = self._bare(_operand(found))
        if isinstance(found, nodes.Subscript):
            parts = found.slice.elts if isinstance(found.slice, nodes.Tuple) else [found.slice]
            if any(self._is_hit(found.value, part) for part in parts):
                return True
            found = self._bare(found.slice)
        if not isinstance(found, nodes.Compare):
            return False
        operator, right = found.ops[-1]
        pairs = ((found.left, right), (right, found.left)) if len(found.ops) == 1 and operator == "==" else ()
        return any(self._is_one_of(of, value) for of, value in pairs)

    def _bound(self, name: str) -> Any:
        """What binds a name: in the loop alone, or in all of the function; None where several do, or it is changed."""
        bound = self.scope.local_names.get(name, ())
        here = [b for b in bound if self.loop.parent_of(b)] or list(bound)
        if len(here) == 2 and _is_converted(here[1], name):
            here.pop()  # `v = int(v)` after `for v in ...`
        return None if len(here) != 1 or any(_changes(self.scope, name)) else here[0]

    def _bare(self, node: Any) -> Any:
        """The expression behind names, conversions, and the only item of a tuple of indices."""
        for _ in range(_DEPTH):
            if isinstance(node, nodes.Name):
                bound = self._bound(node.name)
                value = None if bound is None else _value(bound)
                if value is None:
                    return node
                node = value
            elif isinstance(node, nodes.Call) and last_name(node.func) in SAME_ELEMENTS:
                node = _operand(node)
            elif isinstance(node, nodes.Subscript) and isinstance(node.slice, nodes.Const) and _finds(node.value):
                node = node.value
            else:
                return node
        return node

    def _gone_over(self, value: Any) -> Any:
        """What the loop goes over that gives a value; None for any other value."""
        value = self._bare(value)
        if isinstance(value, nodes.Subscript) and isinstance(value.slice, nodes.Const):
            value = self._bare(value.value)  # a row of indices
        bound = self._bound(value.name) if isinstance(value, nodes.Name) else None
        loop = None if bound is None else bound.parent
        if isinstance(loop, nodes.Tuple):
            loop = loop.parent
        if not isinstance(loop, nodes.For):
            return None
        over = loop.iter
        if isinstance(over, nodes.Call) and last_name(over.func) == "enumerate" and over.args:
            over = over.args[0]
        return self._bare(over)

    def _is_one_of(self, of: Any, value: Any) -> bool:
        over = self._gone_over(value)
        unique = isinstance(over, nodes.Call) and last_name(over.func) == "unique"
        return unique and self._is_same(of, _operand(over))

    def _is_hit(self, mask: Any, value: Any) -> bool:
        over = self._gone_over(value)
        test = self._bare(_operand(over)) if _finds(over) else None
        if isinstance(test, nodes.Compare) and len(test.ops) == 1 and test.ops[0][0] == ">":
            test = self._bare(test.left) if getattr(test.ops[0][1], "value", None) == 0 else None
        elif isinstance(test, nodes.Call) and last_name(test.func) in ("gt", "greater"):
            test = self._bare(_operand(test)) if getattr(test.args[-1], "value", None) == 0 else None
        if not isinstance(test, nodes.Call) or last_name(test.func) not in COUNTS_TRUE:
            return False
        return _keeps_first(test) and self._is_same(mask, _operand(test))

    def _is_same(self, one: Any, other: Any) -> bool:
        """True for two spellings of a tensor that nothing in the function binds or changes in between."""
        path = dotted(one) if one is not None else None
        if path is None or other is None or path != dotted(other):
            return False
        bound = self.scope.local_names.get(path.split(".", 1)[0], ())
        return len(bound) <= 1 and not any(_changes(self.scope, path))


def _value(bound: nodes.NodeNG) -> Any:
    """What a target is assigned from; the whole of what finds places, or of `unique` for the first target."""
    parent = bound.parent
    if isinstance(parent, nodes.Tuple) and isinstance(parent.parent, nodes.Assign):
        whole = parent.parent.value
        unique = isinstance(whole, nodes.Call) and last_name(whole.func) == "unique" and parent.elts[0] is bound
        return whole if _finds(whole) or unique else assigned(bound)
    return assigned(bound)


def _is_converted(bound: nodes.NodeNG, name: str) -> bool:
    """True where a name is bound to the number, or the only item, that it held."""
    value = assigned(bound)
    while isinstance(value, (nodes.Call, nodes.Subscript)):
        if isinstance(value, nodes.Call):
            if last_name(value.func) not in SAME_ELEMENTS:
                return False
            value = _operand(value)
        else:
            value = value.value if isinstance(value.slice, nodes.Const) else None
    return isinstance(value, nodes.Name) and value.name == name


def _keeps_first(reduction: nodes.Call) -> bool:
    """True for a reduction over named dimensions, none of them the first."""
    method = isinstance(reduction.func, nodes.Attribute) and _operand(reduction) is reduction.func.expr
    given = [*reduction.args[0 if method else 1 :], *(k.value for k in reduction.keywords if k.arg in ("dim", "axis"))]
    dims = [d for g in given[:1] for d in (g.elts if isinstance(g, (nodes.Tuple, nodes.List)) else [g])]
    return bool(dims) and not any(isinstance(d, nodes.Const) and d.value == 0 for d in dims)


def _changes(scope: FunctionInfo, path: str) -> Iterator[bool]:
    """True for each statement that writes into a tensor, or stores the attribute that it is."""
    for node in scope.node.nodes_of_class((nodes.Assign, nodes.AugAssign, nodes.Call)):
        if isinstance(node, nodes.Call):
            func = node.func
            yield isinstance(func, nodes.Attribute) and func.attrname.endswith("_") and dotted(func.expr) == path
            yield any(k.arg == "out" and dotted(k.value) == path for k in node.keywords)
            continue
        for target in node.targets if isinstance(node, nodes.Assign) else [node.target]:
            held = target.value if isinstance(target, nodes.Subscript) else target
            yield not isinstance(held, nodes.AssignName) and dotted(held) == path
