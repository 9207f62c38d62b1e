"""Dimensions that an export or `mark_dynamic` declares dynamic, and what fixes them: sizes, tests, loops, views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.compiling import examples, fixing, marking
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.lookup.options import Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.knowledge.tracing import EXPORTS
from flake8_tensorbranch.syntax.names import FunctionInfo

_SHAPES: Final = frozenset({"shape", "size"})


@dataclass(frozen=True, slots=True)
class Declared:
    """One dimension declared dynamic.

    `form` is ``dim`` for a named `Dim`, whose whole range the program must accept, ``dynamic`` for `Dim.DYNAMIC` and
    `mark_dynamic`, which only must not become constant. `low` and `high` are the bounds given; 0 and 1 are never in.
    """

    form: str
    node: nodes.NodeNG
    low: int = 2
    high: int | None = None


class Dimensions:
    """The declared dimensions of each function's parameters, by position."""

    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.regions = regions
        self.origins = Origins(program)
        self._table: dict[FunctionInfo, dict[str, dict[int, Declared]]] | None = None
        self._conflicts: list[TracedSite] = []
        self._ranks: dict[FunctionInfo, dict[str, int]] = {}  # of parameters whose example is in view

    @property
    def table(self) -> dict[FunctionInfo, dict[str, dict[int, Declared]]]:
        """What is declared of which parameter."""
        if self._table is None:
            self._table = {}
            for begin, functions in self.regions.entries:
                qualname = "" if begin.row is None else begin.row.qualname
                if begin.kind == "exported" and qualname in EXPORTS and isinstance(begin.node, nodes.Call):
                    self._exported(Expr(self.program.index, begin.scope, begin.node), functions)
            self._marked()
            self._pass_on()
        return self._table

    def sites(self) -> Iterator[TracedSite]:
        """The example sizes and the views that contradict a declaration."""
        for function, parameters in self.table.items():
            yield from self._views(function, parameters)
            yield from self._operations(function, parameters)
            yield from self._unpacked(function, parameters)
        yield from self._conflicts

    # Declarations

    def _exported(self, call: Expr, functions: list[FunctionInfo]) -> None:
        """The `dynamic_shapes` of an export."""
        assert self._table is not None
        told = [g for g in Options(self.origins).given(call, "dynamic_shapes") if isinstance(g, Expr)]
        if len(told) != 1 or len(functions) > 1:
            return
        given = told[0]
        function = functions[0] if functions else None
        slots = self._names(given) if function is None else _slots(function)
        args = call.node.args[1] if len(call.node.args) > 1 else None
        args = next((k.value for k in call.node.keywords if k.arg == "args"), args)
        named = call.node.args[2] if len(call.node.args) > 2 else None
        named = next((k.value for k in call.node.keywords if k.arg == "kwargs"), named)
        passed = {str(name): item for name, item in self._items(call, args, slots)}
        passed.update((str(name), item) for name, item in self._items(call, named, []))
        for name, example in passed.items() if function is not None else ():
            known = examples.sizes(self.origins, example)
            if known is not None and function is not None:
                self._ranks.setdefault(function, {})[name] = len(known)
        for name, shape in self._items(given, given.node, list(slots)):
            for at, dim in self._items(shape, shape.node, None):
                declared = self._dim(dim)
                if declared is None or not isinstance(at, int):
                    continue
                if function is not None:
                    self._table.setdefault(function, {}).setdefault(str(name), {})[at] = declared
                self._compare(call, passed.get(str(name)), at, declared)

    def _names(self, given: Expr) -> list[str]:
        """Names for the parameters of a module out of view: the keys of `dynamic_shapes` in order, or numbers."""
        for display in self._displays(given, given.node):
            if isinstance(display.node, nodes.Dict):
                return [str(k.value) for k, _ in display.node.items if isinstance(k, nodes.Const)]
        return [f"argument {number}" for number in range(8)]

    def _compare(self, call: Expr, given: Expr | None, at: int, declared: Declared) -> None:
        """An example size of 0 or 1 is specialised: it contradicts the declaration."""
        known = examples.sizes(self.origins, given) if given is not None else None
        if known is None or not -len(known) <= at < len(known) or known[at] not in (0, 1):
            return
        place = trace.noted(self.program.index.path, declared.node, "declared here")
        facts: dict[str, object] = {"how": "example", "size": known[at], "dim": at}
        subject = trace.spelled(given.node) if given is not None else ""
        self._conflicts.append(TracedSite(SinkKind.DIMENSION, call.node, call.scope, subject, {}, facts, (place,)))

    def _displays(self, at: Expr, node: nodes.NodeNG | None) -> list[Expr]:
        return [] if node is None else self.origins.of(Expr(at.module, at.scope, node))

    def _items(self, at: Expr, node: nodes.NodeNG | None, slots: list[str] | None) -> Iterator[tuple[Any, Expr]]:
        """The entries of a display: by key, or by position (by the name in that position where `slots` are given)."""
        for display in self._displays(at, node):
            inner = display.node
            if isinstance(inner, nodes.Dict):
                for key, value in inner.items:
                    if isinstance(key, nodes.Const):
                        yield key.value, Expr(display.module, display.scope, value)
            elif isinstance(inner, (nodes.Tuple, nodes.List)):
                for position, item in enumerate(inner.elts):
                    if slots is None or position < len(slots):
                        name = position if slots is None else slots[position]
                        yield name, Expr(display.module, display.scope, item)

    def _dim(self, expr: Expr) -> Declared | None:
        """The declaration an entry of `dynamic_shapes` makes; None for AUTO, static and derived dimensions."""
        for origin in self.origins.of(expr):
            node = origin.node
            if isinstance(node, nodes.Call) and "torch.export.Dim" in self.origins.externals(origin):
                bounds = {k.arg: k.value.value for k in node.keywords if isinstance(k.value, nodes.Const)}
                low, high = bounds.get("min"), bounds.get("max")
                return Declared(
                    "dim", node, max(low, 2) if type(low) is int else 2, high if type(high) is int else None
                )
            if isinstance(node, nodes.Attribute) and node.attrname == "DYNAMIC":
                return Declared("dynamic", node)
        return None

    def _marked(self) -> None:
        """`mark_dynamic(t, i)` before a call of a compiled function with `t`."""
        assert self._table is not None
        compiled = {f for f, m in self.regions.members("compiled").items() if not m.way}
        for function, name, mark, argument in marking.given(self.origins, compiled):
            at = self._table.setdefault(function, {}).setdefault(name, {})
            at[mark.dim] = Declared("dynamic", mark.node)
            known = examples.sizes(self.origins, argument)
            if known is not None:
                self._ranks.setdefault(function, {})[name] = len(known)

    def _pass_on(self) -> None:
        """A parameter passed on as it is keeps its declaration in the callee."""
        assert self._table is not None
        work = list(self._table)
        while work:
            caller = work.pop()
            for node, callees in self.program.facts[caller].calls.items() if caller in self.program.facts else ():
                if not isinstance(node, nodes.Call):
                    continue
                for callee in callees:
                    if callee in self._table or callee not in self.program.facts:
                        continue
                    found = {
                        name: self._table[caller][argument.name]
                        for name, argument in zip(_slots(callee), node.args, strict=False)
                        if isinstance(argument, nodes.Name)
                        and argument.name in self._table[caller]
                        and self._untouched(caller, argument.name, argument)
                    }
                    if found:
                        self._table[callee] = found
                        work.append(callee)

    @staticmethod
    def _untouched(function: FunctionInfo, name: str, at: nodes.NodeNG) -> bool:
        """True when a parameter still holds its argument at a node, judged by position."""
        bound = [b for b in function.local_names.get(name, ()) if isinstance(b, nodes.AssignName)]
        lines = [b.lineno or 0 for b in bound if not isinstance(b.parent, nodes.Arguments)]
        return all(line >= (at.lineno or 0) for line in lines)

    # Conflicts

    def fixed(self, function: FunctionInfo | None, test: nodes.NodeNG, loop: bool) -> Declared | None:
        """The declared dimension that a test, or a loop over it, fixes; None where the tracer can keep it dynamic."""
        if function is None or function not in self.table:
            return None
        if loop:
            node: nodes.NodeNG = test
            while isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and node.args:
                node = node.args[-1] if node.func.name == "range" and len(node.args) < 3 else node.args[0]
            if isinstance(node, nodes.Call):
                return self._unbound(function, node)
            declared = self._of(function, node)
            return declared or (self._at(function, node, 0) if isinstance(node, nodes.Name) else None)
        for left, op, right in _comparisons(test):
            declared, limit = self._of(function, left), right
            if declared is None:
                declared, limit = self._of(function, right), left
            if declared is None:
                continue
            number = limit.value if isinstance(limit, nodes.Const) and type(limit.value) is int else None
            itself = not any(isinstance(side, nodes.BinOp) for side in (left, right))
            if declared.form == "dynamic":
                if op == "==" and itself and number not in (None, 0, 1):
                    return declared
            elif number is None or not itself or not _decided(declared, op, number):
                return declared
        return None

    def _unbound(self, function: FunctionInfo, call: nodes.Call) -> Declared | None:
        """The declaration of the dimension that `x.unbind(at)` takes apart, or whose size is counted: `range(n)`."""
        func = call.func
        if not isinstance(func, nodes.Attribute) or func.attrname != "unbind":
            return self._of(function, call)
        of_torch = isinstance(func.expr, nodes.Name) and func.expr.name == "torch"
        source, *given = [*call.args] if of_torch and call.args else [func.expr, *call.args]
        at = next(iter(given), next((k.value for k in call.keywords if k.arg == "dim"), None))
        return self._at(function, source, 0 if at is None else getattr(at, "value", None))

    def _of(self, function: FunctionInfo, node: nodes.NodeNG) -> Declared | None:
        """The declaration of the dimension whose size an expression reads, itself or in arithmetic."""
        if isinstance(node, nodes.BinOp):
            return self._of(function, node.left) or self._of(function, node.right)
        if isinstance(node, nodes.Subscript) and isinstance(node.slice, nodes.Const):
            source = node.value
            if isinstance(source, nodes.Call):
                source = source.func if not source.args else source
            if isinstance(source, nodes.Attribute) and source.attrname in _SHAPES:
                return self._at(function, source.expr, node.slice.value)
        if isinstance(node, nodes.Call) and len(node.args) == 1:
            func, given = node.func, node.args[0]
            if isinstance(func, nodes.Attribute) and func.attrname == "size" and isinstance(given, nodes.Const):
                return self._at(function, func.expr, given.value)
            if isinstance(func, nodes.Name) and func.name == "len":
                return self._at(function, given, 0)
            if isinstance(func, nodes.Name) and func.name == "int":
                return self._of(function, given)
        if isinstance(node, nodes.Name):
            return self._named(function, node)
        return None

    def _at(self, function: FunctionInfo, node: nodes.NodeNG, at: object) -> Declared | None:
        if (
            not isinstance(node, nodes.Name)
            or not isinstance(at, int)
            or not self._untouched(function, node.name, node)
        ):
            return None
        return self.table.get(function, {}).get(node.name, {}).get(at)

    def _named(self, function: FunctionInfo, node: nodes.Name) -> Declared | None:
        """`n = x.shape[0]`, `n, m = x.shape`."""
        bound = function.local_names.get(node.name, ())
        if len(bound) != 1:
            return None
        parent = bound[0].parent
        if isinstance(parent, nodes.Assign) and not isinstance(parent.value, nodes.Name):
            return self._of(function, parent.value)
        if isinstance(parent, nodes.Tuple) and isinstance(parent.parent, nodes.Assign):
            source = parent.parent.value
            source = source.func if isinstance(source, nodes.Call) and not source.args else source
            before = parent.elts[: parent.elts.index(bound[0])]
            starred = any(isinstance(e, nodes.Starred) for e in before)
            if isinstance(source, nodes.Attribute) and source.attrname in _SHAPES and not starred:
                return self._at(function, source.expr, len(before))
        return None

    def _views(self, function: FunctionInfo, parameters: dict[str, dict[int, Declared]]) -> Iterator[TracedSite]:
        """`x.view(2, 2, 3)` of a parameter with a dynamic dimension: all sizes are given, so it is fixed."""
        for call in function.calls:
            func = call.func
            if not isinstance(func, nodes.Attribute) or func.attrname not in ("view", "reshape"):
                continue
            if not isinstance(func.expr, nodes.Name) or func.expr.name not in parameters:
                continue
            items = call.args[0].elts if len(call.args) == 1 and isinstance(call.args[0], nodes.Tuple) else call.args
            literal = [i.value for i in items if isinstance(i, nodes.Const) and type(i.value) is int and i.value >= 0]
            if items and len(literal) == len(items) and self._untouched(function, func.expr.name, call):
                declared = next(iter(parameters[func.expr.name].values()))
                yield self._fixing(function, call, declared, "view")

    def _operations(self, function: FunctionInfo, parameters: dict[str, dict[int, Declared]]) -> Iterator[TracedSite]:
        """What makes a size equal to one that the source tells: `x + self.table`, `x.split([4, 4])`, a layer."""
        facts = self.program.facts.get(function)
        if facts is None:
            return
        given = fixing.Given(self.origins, function, facts, parameters, self._ranks.get(function, {}))
        seen: set[nodes.NodeNG] = set()
        for node, side, declared, how in fixing.operations(given):
            name = getattr(side, "name", "")
            if node not in seen and self._untouched(function, name, node):
                seen.add(node)
                yield self._fixing(function, node, declared, how)

    def _unpacked(self, function: FunctionInfo, parameters: dict[str, dict[int, Declared]]) -> Iterator[TracedSite]:
        """`a, b = x` of a parameter whose first dimension is dynamic: there are as many as names."""
        for node in loops.walk(function.node):
            if isinstance(node, nodes.Assign) and isinstance(node.targets[0], nodes.Tuple):
                starred = any(isinstance(e, nodes.Starred) for e in node.targets[0].elts)
                declared = None if starred else self._at(function, node.value, 0)
                if declared is not None:
                    yield self._fixing(function, node.value, declared, "names")

    def _fixing(self, function: FunctionInfo, node: nodes.NodeNG, declared: Declared, how: str) -> TracedSite:
        path = self.program.index.path
        place = trace.noted(path, declared.node, "declared here")
        return TracedSite(SinkKind.DIMENSION, node, function, trace.spelled(node), {}, {"how": how}, (place,))


def _slots(function: FunctionInfo) -> list[str]:
    names = [p.name for p in function.params]
    return names[1:] if function.takes_self or function.is_classmethod else names


def _decided(declared: Declared, op: str, limit: int) -> bool:
    """True when the declared range answers a comparison with a constant."""
    low, high = declared.low, declared.high
    if op in ("==", "!="):
        return limit < low or (high is not None and limit > high)
    if op in (">", "<="):
        return limit < low or (high is not None and limit >= high)
    if op in ("<", ">="):
        return limit <= low or (high is not None and limit > high)
    return False


def _comparisons(test: nodes.NodeNG) -> Iterator[tuple[nodes.NodeNG, str, nodes.NodeNG]]:
    """The comparisons that a test makes, of neighbours where they are chained, and of a `match` with its numbers."""
    for node in (test, *loops.walk(test)):
        if isinstance(node, nodes.Compare):
            left = node.left
            for op, right in node.ops:
                yield left, op, right
                left = right
    if isinstance(test.parent, nodes.Match) and test.parent.subject is test:
        for case in test.parent.cases:
            for pattern in case.pattern.nodes_of_class(nodes.MatchValue):
                yield test, "==", pattern.value
