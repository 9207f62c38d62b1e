"""Results that are compared exactly with what another run, or another machine, left behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.options import Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.lookup.slices import backward
from flake8_tensorbranch.engine.regions import applied, wrappers
from flake8_tensorbranch.engine.reproducibility.elsewhere import elsewhere
from flake8_tensorbranch.engine.reproducibility.equalities import Comparison, Equalities
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.knowledge.reproducibility import COARSE, COMPILE_WORDS, LOADING, LOADING_WORDS, READING, SAVING
from flake8_tensorbranch.knowledge.tracing import COMPILE, TUNED_MODES, UNTUNED_BACKENDS
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, last_name

_CHAIN: Final = 12


class Comparisons:
    """The comparisons of one module and where their sides come from."""

    def __init__(self, origins: Origins, switches: Switches) -> None:
        self.origins = origins
        self.switches = switches
        self.equalities = Equalities(switches)
        self._options = Options(origins)
        self.index = origins.program.index

    def stored(self) -> Iterator[tuple[Comparison, str, nodes.NodeNG]]:
        """Exact comparisons of a loaded value with a result of kernels picked anew: with the picker and its place."""
        every = self.equalities.called()
        if self.index.mentions(COMPILE_WORDS) and self.index.mentions(LOADING_WORDS):
            every = [*self.equalities.all(), *self.equalities.plain(), *elsewhere(self.switches).handed]
        told: set[nodes.NodeNG] = set()
        for found in every:
            if any(n in told for n in (found.node, *found.node.node_ancestors())):
                continue
            if not (found.decides or _decides(found.node)) or self._saves(found.scope):
                continue
            loaded = [self._is_loaded(found.scope, side) for side in found.sides]
            if loaded[0] == loaded[1] or any(self._is_coarse(found.scope, side) for side in found.sides):
                continue
            fresh = found.sides[1] if loaded[0] else found.sides[0]
            picker = self._picker(found.scope, fresh)
            if picker is not None:
                told.add(found.node)
                yield found, *picker

    def _saves(self, scope: FunctionInfo | None) -> bool:
        """True in a scope that writes the file itself: both sides are of one run."""
        return any(name in SAVING for where, _, name in self.switches.calls if where is scope)

    def _is_loaded(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> bool:
        for expr in backward(self.origins, Expr(self.index, scope, node)):
            if isinstance(expr.node, nodes.Call):
                if self._callee(expr) in LOADING or last_name(expr.node.func) in READING:
                    return True
        return False

    def _is_coarse(self, scope: FunctionInfo | None, node: Any) -> bool:
        """True where the last bits of a result are gone before it is compared: rounded, an index, its shape."""
        expr = Expr(self.index, scope, node)
        for _ in range(_CHAIN):
            node = expr.node
            inner: Any = None
            if isinstance(node, nodes.Attribute):
                if node.attrname in COARSE:
                    return True
                inner = node.expr
            elif isinstance(node, nodes.Call):
                if last_name(node.func) in COARSE:
                    return True
                func: Any = node.func
                method = isinstance(func, nodes.Attribute) and not self._callee(expr)
                inner = func.expr if method else node.args[0] if node.args else None
            elif isinstance(node, nodes.Subscript):
                inner = node.value
            steps = [Expr(expr.module, expr.scope, inner)] if inner is not None else self.origins.step(expr)
            if len(steps) != 1:
                return False
            expr = steps[0]
        return False

    def _callee(self, expr: Expr) -> str:
        resolver = self.origins.program.analysis.resolver
        found = resolver.expression(expr.module, expr.node.func, expr.scope)
        return found if isinstance(found, str) else ""

    def _picker(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> tuple[str, nodes.NodeNG] | None:
        """What picks the kernels of a value: a compilation, which may time candidates."""
        for expr in backward(self.origins, Expr(self.index, scope, node)):
            if not isinstance(expr.node, nodes.Call):
                continue
            for made in self._compiled(expr):
                how = self._how(made)
                if how:
                    return how, made.node
            for callee in self.origins.callees(expr):
                how = self._wrapped(callee)
                if how:
                    return how, expr.node
        return None

    def _compiled(self, call: Expr) -> Iterator[Expr]:
        """The compilations that a call is, or that the function or module it calls has been through."""
        if COMPILE in self.origins.externals(call):
            yield call
            return
        for callee in self.origins.callees(call):
            decorators = getattr(callee.node, "decorators", None)
            for decorator in decorators.nodes if decorators is not None else ():
                expr = Expr(callee.module, callee.parent, decorator)
                called = Expr(expr.module, expr.scope, getattr(decorator, "func", decorator))
                named = self.origins.program.analysis.resolver.expression(expr.module, called.node, expr.scope)
                parts = [named]
                if named == "functools.partial" and isinstance(decorator, nodes.Call) and decorator.args:
                    resolver = self.origins.program.analysis.resolver
                    parts = [resolver.expression(expr.module, decorator.args[0], expr.scope)]
                if COMPILE in parts:
                    yield expr
        held = dotted(call.node.func)
        for other in call.module.calls_in(call.scope) if held is not None else ():
            func = other.func
            if isinstance(func, nodes.Attribute) and func.attrname == "compile" and dotted(func.expr) == held:
                expr = Expr(call.module, call.scope, other)
                if f"torch.nn.Module.{func.attrname}" in self.origins.externals(expr):
                    yield expr

    def _wrapped(self, function: FunctionInfo) -> str:
        """How a decorator of the project compiles a function of the file; empty where none does."""
        decorators = getattr(function.node, "decorators", None) if function.module is self.index else None
        program = self.origins.program
        for decorator in decorators.nodes if decorators is not None else ():
            hands = wrappers.decorating(program.analysis, function, decorator)
            for hand in (*hands, *applied.decorating(program, function, decorator)):
                told = dict(hand.options)
                if hand.row.qualname == COMPILE and told.get("disable") is not True:
                    if told.get("backend") not in UNTUNED_BACKENDS:
                        return "autotuned" if told.get("mode") in TUNED_MODES else "compiled"
        return ""

    def _how(self, made: Expr) -> str:
        """How a compilation comes to its kernels; empty where it keeps torch's own."""
        if not isinstance(made.node, nodes.Call):
            return "compiled"
        if self._literal(made, "backend") in UNTUNED_BACKENDS or self._literal(made, "disable") is True:
            return ""
        return "autotuned" if self._literal(made, "mode") in TUNED_MODES else "compiled"

    def _literal(self, call: Expr, name: str) -> object:
        given = self._options.given(call, name)
        if len(given) != 1 or not isinstance(given[0], Expr):
            return None
        found = self._options.constants(given[0])
        return found[0] if len(found) == 1 else None


def _decides(node: nodes.NodeNG) -> bool:
    """True when something hangs on the comparison: a test, an assertion, what is returned; or it asserts by itself."""
    func = node.func if isinstance(node, nodes.Call) else None
    name = last_name(func)
    if str(name).startswith("assert"):
        return True
    child, up = node, node.parent
    while up is not None and not up.is_statement:
        if isinstance(up, nodes.Call) and child in up.args:
            inner = up.func.attrname if isinstance(up.func, nodes.Attribute) else getattr(up.func, "name", "")
            return inner in ("bool", "all", "int") or str(inner).startswith("assert")
        child, up = up, up.parent
    if isinstance(up, (nodes.If, nodes.While, nodes.Assert)):
        return True
    return isinstance(up, (nodes.Return, nodes.Assign))
