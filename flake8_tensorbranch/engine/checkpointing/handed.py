"""Whole numbers that a checkpointed region is handed: what it computes of them alone is the same in the recompute."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lattice import CONTAINER, DATA, HOST, NAMESPACE, NONE, RANDOM, UNBACKED, all_deps
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.knowledge.whole import WHOLE_NAMES, WHOLE_OPERATIONS, WHOLE_TYPES
from flake8_tensorbranch.syntax.binding import binder
from flake8_tensorbranch.syntax.names import FunctionInfo, last_name

_DEPTH: Final = 24
_VALUES: Final = DATA | RANDOM | UNBACKED
_WHOLE: Final = re.compile(WHOLE_NAMES)

Calls = Mapping[FunctionInfo, Expr]
"""For functions of other files: the call on the way to them."""


class Handed:
    """Asks whether an expression reads no tensor's value but those of whole numbers handed to its checkpointed region.

    A checkpoint keeps what its function is handed, and arithmetic of whole numbers does not round: nothing can flip.
    """

    def __init__(self, origins: Origins, regions: Regions) -> None:
        self.origins = origins
        self.regions = regions
        self.begins = {f for begin, functions in regions.entries if begin.kind == "checkpointed" for f in functions}

    def asked(self, expr: Expr, calls: Calls) -> bool:
        """True for such an expression; false for whatever is not understood."""
        return self._expr(expr, calls, _DEPTH)

    def _expr(self, expr: Expr, calls: Calls, depth: int) -> bool:
        node: Any = expr.node
        if depth <= 0:
            return False
        depth -= 1
        value = self.origins.value(expr)
        if value.kinds and value.must(HOST | NONE | CONTAINER) and not value.deps & _VALUES and value.elem is None:
            return True  # no tensor's value
        if isinstance(node, nodes.Const):
            return True
        if isinstance(node, nodes.Name):
            return self._name(expr, calls, depth)
        if isinstance(node, nodes.Attribute):
            if node.attrname == "shape" and all_deps(value) & _VALUES:
                return self._expr(Expr(expr.module, expr.scope, node.expr), calls, depth)
            return node.attrname in ("shape", "dtype", "device", "ndim")
        if isinstance(node, nodes.Call):
            return self._call(expr, calls, depth)
        parts = _parts(node)
        return bool(parts) and all(self._expr(Expr(expr.module, expr.scope, p), calls, depth) for p in parts)

    def _name(self, expr: Expr, calls: Calls, depth: int) -> bool:
        scope, name = expr.scope, expr.node.name
        if scope is None or name not in scope.local_names or name in scope.declared_nonlocal:
            return False
        for bound in scope.local_names[name]:
            if isinstance(bound, nodes.Arguments) or isinstance(bound.parent, nodes.Arguments):
                if not self._parameter(scope, name, calls, depth):
                    return False
                continue
            statement = binder(bound)
            if not isinstance(statement, (nodes.Assign, nodes.AnnAssign, nodes.NamedExpr)) or statement.value is None:
                return False
            if not self._expr(Expr(expr.module, scope, statement.value), calls, depth):
                return False
        return True

    def _parameter(self, function: FunctionInfo, name: str, calls: Calls, depth: int) -> bool:
        """True for a parameter of whole numbers where the region begins, or that every call hands such."""
        if depth <= 0:
            return False
        declared = next((p for p in function.params if p.name == name), None)
        whole = bool(_WHOLE.search(name)) or (declared is not None and _says_whole(declared.annotation))
        sites = [calls[function]] if function in calls else self.origins.sites(function)
        if function in self.begins:
            return whole
        return bool(sites) and all(self._given(site, function, name, whole, calls, depth - 1) for site in sites)

    def _given(self, site: Expr, function: FunctionInfo, name: str, whole: bool, calls: Calls, depth: int) -> bool:
        given = self.origins.argument(site, function, name)
        if given is not None:
            return self._expr(given, calls, depth)
        call, caller = site.node, site.scope
        if not isinstance(call, nodes.Call) or any(isinstance(a, nodes.Starred) for a in call.args):
            return False
        for unpacked in (k.value for k in call.keywords if k.arg is None):
            # Whatever the caller was handed by keyword, it hands on.
            if caller is None or not isinstance(unpacked, nodes.Name) or unpacked.name != caller.kwarg:
                return False
            if caller in self.begins:
                return whole
            above = [calls[caller]] if caller in calls else self.origins.sites(caller)
            if not above or not all(self._given(at, caller, name, whole, calls, depth - 1) for at in above):
                return False
        default = next((p.default for p in function.params if p.name == name), None)
        return default is None or isinstance(default, nodes.Const)

    def _answer(self, function: FunctionInfo, calls: Calls, depth: int) -> bool:
        """True for a helper that nothing else decides in: neither what it returns nor its tests."""
        tests: list[Any] = [t for t in function.tests if not isinstance(t, (nodes.BoolOp, nodes.UnaryOp))]
        if function in self.begins or not all(isinstance(t, (nodes.If, nodes.IfExp)) for t in tests):
            return False
        parts = [Expr(function.module, function, t.test) for t in tests]
        return all(self._expr(part, calls, depth) for part in (*self.origins.returns(function), *parts))

    def _call(self, expr: Expr, calls: Calls, depth: int) -> bool:
        node = expr.node
        callees = self.origins.callees(expr)
        if callees:
            inner = {**calls, **dict.fromkeys(callees, expr)}
            return all(self._answer(callee, inner, depth) for callee in callees)
        if last_name(node.func) not in WHOLE_OPERATIONS:
            return False
        parts = [*node.args, *(k.value for k in node.keywords)]
        func = node.func
        if isinstance(func, nodes.Attribute) and not self._is_module(Expr(expr.module, expr.scope, func.expr)):
            parts.append(func.expr)
        return all(self._expr(Expr(expr.module, expr.scope, part), calls, depth) for part in parts)

    def _is_module(self, expr: Expr) -> bool:
        return bool(self.origins.value(expr).kinds & NAMESPACE)


def _says_whole(annotation: Any) -> bool:
    """True for an annotation that names tensors of whole numbers or booleans, and none of another kind."""
    if annotation is None:
        return False
    names = [last_name(node) for node in annotation.nodes_of_class((nodes.Name, nodes.Attribute))]
    tensors = [name for name in names if name.endswith("Tensor")]
    return bool(tensors) and all(name.endswith(WHOLE_TYPES) for name in tensors)


def _parts(node: Any) -> list[Any]:
    """The parts that an expression puts together without rounding whole numbers; none for any other expression."""
    if isinstance(node, nodes.BinOp) and node.op in ("/", "@", "**"):
        return []
    if isinstance(node, nodes.Compare):
        return [node.left, *(right for _, right in node.ops)]
    if isinstance(node, nodes.BinOp):
        return [node.left, node.right]
    if isinstance(node, nodes.BoolOp):
        return list(node.values)
    if isinstance(node, (nodes.Tuple, nodes.List)):
        return list(node.elts)
    if isinstance(node, nodes.UnaryOp):
        return [node.operand]
    if isinstance(node, nodes.Subscript):
        return [node.value, node.slice]
    if isinstance(node, nodes.Slice):
        return [part for part in (node.lower, node.upper, node.step) if part is not None]
    return [node.test, node.body, node.orelse] if isinstance(node, nodes.IfExp) else []
