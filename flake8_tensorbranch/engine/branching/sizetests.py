"""Tests and loops by sizes: which of them ask for emptiness, for size 1, for equality, for a size itself or a part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.tensors import EXPANDING
from flake8_tensorbranch.syntax.names import FunctionInfo, called_name

_DEPTH: Final = 10
_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_AROUND: Final = frozenset({"enumerate", "reversed", "list", "tuple", "iter"})
_EMPTY: Final = frozenset({(">=", 1), ("<", 1)})
_SINGLE: Final = frozenset({("==", 1), ("!=", 1), (">", 1), ("<=", 1), (">=", 2), ("<", 2)})

Calls = Mapping[FunctionInfo, Expr]
"""For functions of other files: the call on the way to them."""


def comparison(origins: Origins, leaf: Expr, calls: Calls) -> str:
    """How a part of a test compares sizes: see `ValueSite.comparison`."""
    leaf = _compared(origins, leaf)
    node = leaf.node
    if isinstance(node.parent, nodes.Match):
        return ""
    if not isinstance(node, nodes.Compare):
        counts = isinstance(node, nodes.Call) and called_name(node) == "numel"
        return "truth" if counts or _is_plain(origins, leaf, node, calls) else ""  # whether it is zero
    if _only_expands(node):
        return "single"
    ops = [op for op, _ in node.ops]
    sides = [node.left, *(right for _, right in node.ops)]
    if any(isinstance(s, nodes.Const) and s.value == 0 and not isinstance(s.value, bool) for s in sides) and any(
        isinstance(s, nodes.Call) or (not isinstance(s, nodes.Const) and _is_plain(origins, leaf, s, calls))
        for s in sides
    ):
        return "empty"  # for the compiler no size that changes is ever zero
    asked = _asked(node)
    if asked in _SINGLE or asked in _EMPTY:
        # 1 is a size of its own for the compiler, whoever asks for it.
        other = node.left if isinstance(sides[1], nodes.Const) else sides[1]
        if _is_plain(origins, leaf, other, calls):
            return "single" if asked in _SINGLE else "empty"
    if any(isinstance(s, nodes.Const) and s.value == 1 for s in sides):
        return ""
    if any(isinstance(s, nodes.BinOp) and s.op == "%" for s in sides):
        return ""  # divisibility splits the sizes
    return "equality" if all(op in ("==", "!=") for op in ops) else ""


def rounds(origins: Origins, loop: Expr, calls: Calls) -> str:
    """How a loop counts sizes: see `ValueSite.comparison`. It has another number of rounds for each over rows, and over
    a `range` of a size itself, give or take a number; `range(n // 4)` and `while` have the same for several.
    """
    node = loop.node
    while isinstance(node, nodes.Call) and called_name(node) in _AROUND and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, nodes.Name):
        made = [o.node for o in origins.of(Expr(loop.module, loop.scope, node), calls=False)]
        node = made[0] if len(made) == 1 else node
    if not isinstance(node, nodes.Call) or called_name(node) != "range":
        return "rounds" if isinstance(node.parent, nodes.While) else ""
    told = all(
        isinstance(a, nodes.Const) or _Shifted(origins, calls).asked(Expr(loop.module, loop.scope, a), None, _DEPTH)
        for a in node.args
    )
    return "" if told else "rounds"


def _only_expands(node: nodes.Compare) -> bool:
    """True for `if a.shape[0] != b.shape[0]: b = b.expand(...)`: only what has size 1 there can be expanded."""
    statement = node.parent
    if not isinstance(statement, nodes.If) or statement.test is not node or [op for op, _ in node.ops] != ["!="]:
        return False
    made = [s.value for s in statement.body if isinstance(s, (nodes.Assign, nodes.AnnAssign))]
    calls = [call for call in made if isinstance(call, nodes.Call) and called_name(call) in EXPANDING]
    return not statement.orelse and len(calls) == len(statement.body)


def _compared(origins: Origins, leaf: Expr) -> Expr:
    """The one comparison that a name or a helper's call stands for; the part of the test itself where there is none."""
    if isinstance(leaf.node, (nodes.Name, nodes.Attribute, nodes.Call)):
        found = origins.of(leaf)
        if len(found) == 1 and isinstance(found[0].node, nodes.Compare):
            return found[0]
    return leaf


def _asked(node: nodes.Compare) -> tuple[str, int] | None:
    """The comparison of something with a number, the number on the right."""
    if len(node.ops) != 1:
        return None
    op, right = node.ops[0]
    if isinstance(node.left, nodes.Const):
        op, right = _FLIPPED.get(op, op), node.left
    value = right.value if isinstance(right, nodes.Const) else None
    return (op, value) if isinstance(value, int) and not isinstance(value, bool) else None


def _is_plain(origins: Origins, at: Expr, node: Any, calls: Calls) -> bool:
    return _Plain(origins, calls).asked(Expr(at.module, at.scope, node), None, _DEPTH)


class _Plain:
    """Asks whether an expression is a size as a tensor gives it, with no arithmetic on it."""

    def __init__(self, origins: Origins, calls: Calls) -> None:
        self.origins = origins
        self.calls = calls
        self.seen: set[tuple[Any, int | None]] = set()

    def asked(self, expr: Expr, position: int | None, depth: int) -> bool:
        """True for a size, or with a position, for what has one there (one that has none there is no size)."""
        node = expr.node
        if depth <= 0:
            return False
        if (node, position) in self.seen:
            return True  # what else the loop brings decides
        self.seen.add((node, position))
        depth -= 1
        if position is None and (_is_size(node) or _asks_size(node)):
            return True
        if position is not None and _gives_sizes(node):
            return True
        if isinstance(node, (nodes.Tuple, nodes.List)) and position is not None:
            fits = position < len(node.elts) and not any(isinstance(e, nodes.Starred) for e in node.elts)
            return fits and self.asked(Expr(expr.module, expr.scope, node.elts[position]), position=None, depth=depth)
        if isinstance(node, nodes.Const):
            return node.value is None or isinstance(node.value, bool)  # where it stands for no size
        if isinstance(node, nodes.IfExp):
            return all(
                self.asked(Expr(expr.module, expr.scope, part), position, depth) for part in (node.body, node.orelse)
            )
        if isinstance(node, nodes.Name):
            return self._named(expr, position, depth)
        steps = self.origins.step(expr) if isinstance(node, (nodes.Attribute, nodes.Call)) else []
        return bool(steps) and all(self.asked(step, position, depth) for step in steps)

    def _named(self, expr: Expr, position: int | None, depth: int) -> bool:
        scope = expr.scope
        while scope is not None and expr.node.name not in scope.local_names:
            scope = scope.parent
        if scope is None:
            return False
        return all(
            self._bound(Expr(expr.module, scope, bound), expr.node.name, position, depth)
            for bound in scope.local_names[expr.node.name]
        )

    def _bound(self, bound: Expr, name: str, position: int | None, depth: int) -> bool:
        """The same of one binding of a name: an assignment, an unpacking, a parameter."""
        target, scope = bound.node, bound.scope
        assert scope is not None
        parent = target.parent
        if isinstance(target, nodes.Arguments) or isinstance(parent, nodes.Arguments):
            call = self.calls.get(scope)
            given = [self.origins.argument(call, scope, name)] if call is not None else self.origins.passed(scope, name)
            return bool(given) and all(g is not None and self.asked(g, position, depth) for g in given)
        if isinstance(parent, (nodes.Assign, nodes.AnnAssign, nodes.NamedExpr)) and parent.value is not None:
            return self.asked(Expr(bound.module, scope, parent.value), position, depth)
        if isinstance(parent, (nodes.Tuple, nodes.List)) and isinstance(parent.parent, nodes.Assign):
            if position is not None or any(isinstance(e, nodes.Starred) for e in parent.elts):
                return False
            return self.asked(Expr(bound.module, scope, parent.parent.value), parent.elts.index(target), depth)
        return False


class _Shifted(_Plain):
    """Asks the same, with numbers added to the size or taken from it: that keeps different sizes apart."""

    def asked(self, expr: Expr, position: int | None, depth: int) -> bool:
        """True for a size and a number, too."""
        node = expr.node
        if position is None and isinstance(node, nodes.BinOp) and node.op in ("+", "-"):
            sides = [side for side in (node.left, node.right) if not isinstance(side, nodes.Const)]
            return len(sides) == 1 and self.asked(Expr(expr.module, expr.scope, sides[0]), None, depth - 1)
        return super().asked(expr, position, depth)


def _is_size(node: nodes.NodeNG) -> bool:
    """True for `x.shape[0]` and `x.size()[0]`."""
    return isinstance(node, nodes.Subscript) and not isinstance(node.slice, nodes.Slice) and _gives_sizes(node.value)


def _gives_sizes(node: nodes.NodeNG) -> bool:
    """True for `x.shape`, `x.size()` and slices of them."""
    if isinstance(node, nodes.Subscript) and isinstance(node.slice, nodes.Slice):
        node = node.value
    if isinstance(node, nodes.Call):
        return isinstance(node.func, nodes.Attribute) and node.func.attrname == "size" and not node.args
    return isinstance(node, nodes.Attribute) and node.attrname == "shape"


def _asks_size(node: nodes.NodeNG) -> bool:
    """True for `len(x)` and `x.size(0)`."""
    return isinstance(node, nodes.Call) and called_name(node) in ("len", "size") and bool(node.args or node.keywords)
