"""Collectives that a test of the process's own rank leaves out on some ranks (facts M: a barrier under `rank == 0`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.distributed.collectives import Collectives, calls_in
from flake8_tensorbranch.engine.inference.decorating import returned
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.regions.trace import spelled
from flake8_tensorbranch.engine.sink import CollectiveSite, SinkKind
from flake8_tensorbranch.knowledge.collectives import RANK_ZERO
from flake8_tensorbranch.syntax.kinds import SCOPE_NODES
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

_RANK: Final = "torch.distributed.get_rank"
_VARIABLES: Final = frozenset({"RANK", "LOCAL_RANK"})
_LEAVES: Final = (nodes.Return, nodes.Raise)
_ASIDE: Final = ("init_process_group", "new_group")


def sites(program: Program, collectives: Collectives) -> Iterator[CollectiveSite]:
    """One site for each such test; none where a function has several, since these may belong together."""
    index = program.index
    guards = _Guards(program, collectives)
    wrappers: set[FunctionInfo | None] = set()
    for function in index.functions:
        decorators = getattr(function.node, "decorators", None)
        for decorator in decorators.nodes if decorators is not None else ():
            label = guards.kept_from(function, decorator)
            if label:
                wrappers.add(guards.wrapper(function, decorator))
                yield _site(function.parent, decorator, label, decorator)
    for scope in index.scopes if index.mentions(("rank", "RANK")) else ():
        if scope is not None and scope in wrappers:
            continue  # told at each function whose decorator it is
        found = [
            (test, label)
            for test in index.tests_in(scope)
            if isinstance(test, (nodes.If, nodes.IfExp, nodes.BoolOp)) and (label := guards.left_out(scope, test))
        ]
        if len(found) == 1:
            test, label = found[0]
            decided = test.values[0] if isinstance(test, nodes.BoolOp) else test.test
            yield _site(scope, decided, label, guards.asked(scope, decided) or decided)


def _site(scope: FunctionInfo | None, node: nodes.NodeNG, label: str, subject: nodes.NodeNG) -> CollectiveSite:
    return CollectiveSite(
        kind=SinkKind.COLLECTIVE,
        node=node,
        function=scope,
        subject=spelled(subject),
        label=label,
        often=False,
        replica=False,
        shape=False,
        backward=False,
        certain=True,
        rank=True,
    )


class _Guards:
    def __init__(self, program: Program, collectives: Collectives) -> None:
        self.program = program
        self.collectives = collectives
        self.origins = Origins(program)

    def left_out(self, scope: FunctionInfo | None, test: nodes.If | nodes.IfExp | nodes.BoolOp) -> str:
        """A collective that the ranks on one side of a test run and the others do not; empty where there is none."""
        if isinstance(test, nodes.BoolOp):
            first, later = test.values[0], list(test.values[1:])
            labels = self._labels(scope, later)
            return min(labels) if labels and self.asked(scope, first) is not None else ""
        parts = (test.body, test.orelse) if isinstance(test, nodes.If) else ([test.body], [test.orelse])
        sides = [self._labels(scope, part) for part in parts]
        if isinstance(test, nodes.If):
            for side, statements in zip(sides, parts, strict=True):
                if not (statements and isinstance(statements[-1], _LEAVES)):
                    side.update(self._labels(scope, _after(test)))
        if sides[0].keys() == sides[1].keys() or self.asked(scope, test.test) is None:
            return ""
        if isinstance(test, nodes.If) and any(_hands_over(part) for part in (*parts, _after(test))):
            return ""
        return min(sides[0].keys() ^ sides[1].keys())

    def kept_from(self, function: FunctionInfo, decorator: nodes.NodeNG) -> str:
        """A collective that a function runs on one rank alone, since its decorator calls it there only; else empty."""
        maker = self._maker(function, decorator)
        one = isinstance(maker, str) and maker.rsplit(".", 1)[-1] in RANK_ZERO
        if isinstance(maker, FunctionInfo) and maker.params:
            inner = returned(maker)
            called = maker.params[0].name
            one = inner is not None and any(self._calls_on_one(inner, test, called) for test in inner.tests)
        if not one:
            return ""
        body: Any = function.node.body
        labels = self._labels(function, body)
        return min(labels) if labels else ""

    def _maker(self, function: FunctionInfo, decorator: nodes.NodeNG) -> object:
        bare = decorator.func if isinstance(decorator, nodes.Call) else decorator
        return self.program.analysis.resolver.expression(function.module, bare, function.parent)

    def wrapper(self, function: FunctionInfo, decorator: nodes.NodeNG) -> FunctionInfo | None:
        """What a decorator of the project puts in a function's place; None for any other."""
        maker = self._maker(function, decorator)
        return returned(maker) if isinstance(maker, FunctionInfo) else None

    def _calls_on_one(self, inner: FunctionInfo, test: nodes.NodeNG, name: str) -> bool:
        """True where a wrapper calls the function it was given on one side of a test of the rank, and not after it."""
        if not isinstance(test, nodes.If) or self.asked(inner, test.test) is None:
            return False
        parts = [test.body, test.orelse]
        sides = [[c for s in part for c in calls_in(s) if dotted(c.func) == name] for part in parts]
        every = [c for c in inner.calls if dotted(c.func) == name]
        after = [c for s in _after(test) for c in calls_in(s) if dotted(c.func) == name]
        return (bool(sides[0]) != bool(sides[1]) and len(every) == len(sides[0] + sides[1]) and not after) or (
            bool(after) and len(every) == len(after)
        )

    def _labels(self, scope: FunctionInfo | None, statements: list[nodes.NodeNG]) -> Counter[str]:
        """The collectives of the default group that statements run, themselves or in a function they call."""
        found: Counter[str] = Counter()
        for call in (c for s in statements for c in calls_in(s)):
            callees = self.program.callees(scope, call)
            if any(k.arg == "group" for c in (call, *(c for f in callees for c in f.calls)) for k in c.keywords):
                continue
            names = self.program.facts[scope].externals.get(call, {}) if scope is not None else {}
            if callees or any(n.startswith("torch.distributed.") for n in names):
                labels = self.collectives.of_call(scope, call)
                found.update(label for label in sorted(labels) if not label.endswith(")") and label not in _ASIDE)
        return found

    def asked(self, scope: FunctionInfo | None, test: Any) -> nodes.NodeNG | None:
        """The part of a test that asks for the rank of the process in the default group; None where none does."""
        if isinstance(test, nodes.BoolOp):
            return next((a for v in test.values if (a := self.asked(scope, v)) is not None), None)
        if isinstance(test, nodes.UnaryOp) and test.op == "not":
            return self.asked(scope, test.operand)
        if scope is None or not isinstance(test, (nodes.Compare, nodes.Call, nodes.Name)):
            return None
        return test if self._is_rank(Expr(scope.module, scope, test)) else None

    def _is_rank(self, expr: Expr) -> bool:
        """True for a rank, and for a test of one."""
        told = [
            self._tells_rank(o) for o in self.origins.of(expr) if not isinstance(o.node, (nodes.Const, nodes.UnaryOp))
        ]
        return bool(told) and all(told)

    def _tells_rank(self, origin: Expr) -> bool:
        node, module, scope = origin.node, origin.module, origin.scope
        if isinstance(node, nodes.Compare):
            return _parts(node) and any(
                self._is_rank(Expr(module, scope, side)) for side in (node.left, node.ops[0][1])
            )
        if isinstance(node, nodes.BoolOp):  # `not dist.is_initialized() or dist.get_rank() == 0`
            return any(self._is_rank(Expr(module, scope, value)) for value in node.values)
        if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and node.func.name == "int" and node.args:
            return self._is_rank(Expr(module, scope, node.args[0]))
        if isinstance(node, nodes.Call) and _RANK in self.origins.externals(origin):
            return not node.args and not node.keywords
        key = owner = None
        if isinstance(node, nodes.Subscript):
            key, owner = node.slice, node.value
        elif isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname == "get":
            key, owner = (node.args[0] if node.args else None), node.func.expr
        named = isinstance(key, nodes.Const) and key.value in _VARIABLES
        return named and owner is not None and (dotted(owner) or "").endswith("environ")


def _hands_over(statements: list[nodes.NodeNG]) -> bool:
    """True where code that is not in view runs in between: a generator's caller, as in the `with` of a manager."""
    return any(True for s in statements for _ in s.nodes_of_class((nodes.Yield, nodes.YieldFrom), SCOPE_NODES))


def _parts(test: nodes.Compare) -> bool:
    """False for a comparison that asks whether there are ranks at all: `rank != -1`, `rank >= 0`, `is not None`."""
    if len(test.ops) != 1 or test.ops[0][0] in ("is", "is not", "in", "not in"):
        return False
    operator, right = test.ops[0]
    if not isinstance(right, nodes.Const):
        return not isinstance(right, nodes.UnaryOp)
    return isinstance(right.value, int) and right.value >= (operator in (">=", "<"))


def _after(test: nodes.If) -> list[nodes.NodeNG]:
    """The statements of the function that follow a test, where a side of it leaves the function."""
    if not any(side and isinstance(side[-1], _LEAVES) for side in (test.body, test.orelse)):
        return []
    block = next((b for n in ("body", "orelse", "finalbody") if test in (b := getattr(test.parent, n, []) or [])), [])
    return list(block[block.index(test) + 1 :]) if block else []
