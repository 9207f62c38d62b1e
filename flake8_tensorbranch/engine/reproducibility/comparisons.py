"""Results that are compared exactly with what another run, or another machine, left behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.lookup.slices import backward
from flake8_tensorbranch.engine.reproducibility.equalities import Comparison, Equalities
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.knowledge.reproducibility import LOADING, SAVING
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, last_name

_DIGITS: Final = 3


class Comparisons:
    """The comparisons of one module and where their sides come from."""

    def __init__(self, origins: Origins, switches: Switches) -> None:
        self.origins = origins
        self.switches = switches
        self.equalities = Equalities(switches)
        self.index = origins.program.index

    def stored(self) -> Iterator[tuple[Comparison, str, nodes.NodeNG]]:
        """Exact comparisons of a loaded value with a result of kernels picked anew: with the picker and its place."""
        for found in self.equalities.called():
            if not _decides(found.node) or self._saves(found.scope):
                continue
            loaded = [self._first(found.scope, side, LOADING) is not None for side in found.sides]
            if loaded[0] == loaded[1]:
                continue
            fresh = found.sides[1] if loaded[0] else found.sides[0]
            picker = self._picker(found.scope, fresh)
            if picker is not None:
                yield found, *picker

    def _saves(self, scope: FunctionInfo | None) -> bool:
        """True in a scope that writes the file itself: both sides are of one run."""
        return any(name in SAVING for where, _, name in self.switches.calls if where is scope)

    def _first(self, scope: FunctionInfo | None, node: nodes.NodeNG, names: frozenset[str]) -> Expr | None:
        for expr in backward(self.origins, Expr(self.index, scope, node)):
            if isinstance(expr.node, nodes.Call) and self._callee(expr) in names:
                return expr
        return None

    def _callee(self, expr: Expr) -> str:
        resolver = self.origins.program.analysis.resolver
        found = resolver.expression(expr.module, expr.node.func, expr.scope)
        return found if isinstance(found, str) else ""

    def _picker(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> tuple[str, nodes.NodeNG] | None:
        """What picks the kernels of a value: a compilation, which may time candidates."""
        for expr in backward(self.origins, Expr(self.index, scope, node)):
            if isinstance(expr.node, nodes.Call) and self._callee(expr) == "torch.compile":
                mode = next((k.value for k in expr.node.keywords if k.arg == "mode"), None)
                tuned = isinstance(mode, nodes.Const) and str(mode.value).startswith("max-autotune")
                backend = next((k.value for k in expr.node.keywords if k.arg == "backend"), None)
                if isinstance(backend, nodes.Const) and backend.value in ("eager", "aot_eager"):
                    continue
                return ("autotuned" if tuned else "compiled"), expr.node
        return None

    # Draws against numbers

    def drawn(self) -> Iterator[tuple[nodes.NodeNG, FunctionInfo | None, Expr]]:
        """Assertions that hold a result to written numbers though it was drawn without a seed: with the draw."""
        if self.switches.seeds:
            return
        for scope, test in held_to_numbers(self.index):
            draw = self._draw(scope, test)
            if draw is not None:
                yield test, scope, draw

    def _draw(self, scope: FunctionInfo | None, test: nodes.NodeNG) -> Expr | None:
        """The first draw from torch's default generator that a value depends on."""
        for expr in backward(self.origins, Expr(self.index, scope, test)):
            if not isinstance(expr.node, nodes.Call):
                continue
            facts = self.origins.facts(expr.module, expr.scope)
            for name, args in facts.externals.get(expr.node, {}).items():
                row = lookup(name, len(args.positional), args.names(), kinds=args.kinds())
                if row is not None and "rng" in row.effects and not self._generated(expr):
                    return expr
        return None

    def _generated(self, expr: Expr) -> bool:
        """True when a draw is given a generator, as far as the calls in the file show."""
        given = next((k.value for k in expr.node.keywords if k.arg == "generator"), None)
        if given is None:
            return False
        if not isinstance(given, nodes.Const) and any(
            f not in self.origins.program.facts for f in self.index.functions
        ):
            return True  # not every caller is known
        found = self.origins.of(Expr(expr.module, expr.scope, given))
        return any(not (isinstance(o.node, nodes.Const) and o.node.value is None) for o in found)


def held_to_numbers(index: ModuleIndex) -> Iterator[tuple[FunctionInfo | None, nodes.NodeNG]]:
    """The tests of assertions in which a measured number is written, with their scopes."""
    for scope in index.scopes:
        for node in index.tests_in(scope):
            test = _asserted(node)
            if test is not None and any(_precise(c) for c in test.nodes_of_class(nodes.Const)):
                yield scope, test


def _asserted(node: nodes.NodeNG) -> nodes.NodeNG | None:
    """The test of an assertion, or of a branch that raises; None for any other statement."""
    if isinstance(node, nodes.Assert):
        return node.test
    return node.test if isinstance(node, nodes.If) and any(isinstance(s, nodes.Raise) for s in node.body) else None


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


def _precise(node: nodes.Const) -> bool:
    """True for a number that was copied from a result: a float with three decimals or more."""
    value = node.value
    if not isinstance(value, float) or value != value:
        return False
    decimals = repr(value).partition(".")[2]
    return "e" not in decimals and len(decimals) >= _DIGITS and abs(value) >= 0.1
