"""What is kept out of traces: by a test that asks for a tracer, through helpers and flags too, or inside a helper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching.answers import lets_through
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.operators import truth_deps
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import DATA, UNKNOWN
from flake8_tensorbranch.knowledge.tracing import ASKS_COMPILING, ASKS_TRACING
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, last_name

_COMPILABLE: Final = re.compile(r"_?(is|can)_(be_)?compil")
"""How attributes are named that say whether what is at hand goes into a graph: `cache.is_compilable`."""
_LEAVES: Final = (nodes.Return, nodes.Raise, nodes.Continue, nodes.Break)
_DEPTH: Final = 4


class Tracers:
    """Asks, in the functions of one run, what is kept out of traces; functions of other files are read on demand."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._asked: dict[tuple[nodes.NodeNG, frozenset[str]], bool] = {}
        self._kept: dict[tuple[FunctionInfo, str, frozenset[str], int], bool] = {}
        self._compilable: dict[nodes.NodeNG, bool] = {}

    def guard(
        self, module: ModuleIndex, scope: FunctionInfo | None, node: nodes.NodeNG, own: bool = True, tracer: str = ""
    ) -> bool:
        """True when a test around a node (with `own`, also its own) asks whether code is being traced.

        Without `own`, only what asks for a compiler counts: a size is guarded on as soon as it is asked for. With a
        tracer (see `answers`), a test that asks for others only does not count.
        """
        words = ASKS_TRACING if own else ASKS_COMPILING
        around, earlier = tests_of(node, own)
        return any(self._names_compilable(test) for test, _ in around) or any(
            self._asks_within(module, scope, test, words)
            and not (
                tracer
                and lets_through(self.analysis, module, scope, test, arm, self._asking(module, scope, test), tracer)
            )
            for test, arm in (*around, *earlier)
        )

    def _asking(self, module: ModuleIndex, scope: FunctionInfo | None, test: nodes.NodeNG) -> list[Any]:
        """The parts of a test that ask for a tracer."""
        return [
            part
            for part in test.nodes_of_class((nodes.Call, nodes.Name))
            if self._asks(module, scope, part, ASKS_TRACING, _DEPTH)
        ]

    def _asks_within(
        self, module: ModuleIndex, scope: FunctionInfo | None, test: nodes.NodeNG, words: frozenset[str]
    ) -> bool:
        """True when something in a test asks for a tracer; each test is looked through once, however deep it stands."""
        key = (test, words)
        if key not in self._asked:
            parts = list(test.nodes_of_class((nodes.Call, nodes.Name)))
            self._asked[key] = any(isinstance(p, nodes.Call) and last_name(p.func) in words for p in parts) or any(
                self._asks(module, scope, part, words, _DEPTH) for part in parts
            )
        return self._asked[key]

    def _names_compilable(self, test: nodes.NodeNG) -> bool:
        """True for a test of an attribute that says whether what is at hand goes into a graph."""
        if test not in self._compilable:
            attributes = test.nodes_of_class(nodes.Attribute)
            self._compilable[test] = any(
                _COMPILABLE.match(n.attrname)
                and not (n.attrname in ASKS_COMPILING and isinstance(n.parent, nodes.Call) and n.parent.func is n)
                for n in attributes
            )
        return self._compilable[test]

    def unread(self, facts: Facts, scope: FunctionInfo | None, subject: nodes.NodeNG) -> bool:
        """True for what a helper answers that reads no value while it is traced: its own tests keep that out."""
        if isinstance(subject, nodes.Name) and scope is not None:
            made = [assigned(bound) for bound in scope.local_names.get(subject.name, ())]
            subject = made[0] if len(made) == 1 and made[0] is not None else subject
        callees = facts.calls.get(subject)
        return bool(callees) and all(self._answers_unread(callee) for callee in callees or ())

    def _asks(
        self, module: ModuleIndex, scope: FunctionInfo | None, node: Any, words: frozenset[str], depth: int
    ) -> bool:
        """True for a call that asks for a tracer, through helpers too, and for a local that keeps the answer."""
        if depth <= 0:
            return False
        if isinstance(node, nodes.Call):
            if last_name(node.func) in words or (_is_of_proxies(node) and words is ASKS_TRACING):
                return True
            target = self.analysis.resolver.expression(module, node.func, scope)
            if isinstance(target, str):
                return target.startswith("torch.") and target.rsplit(".", 1)[-1] in words  # by another name
            return isinstance(target, FunctionInfo) and self._answers(target, words, depth - 1)
        if not isinstance(node, nodes.Name) or scope is None:
            return False
        key = (scope, node.name, words, depth)
        if key not in self._kept:
            self._kept[key] = any(
                self._asks(module, scope, part, words, depth - 1)
                for bound in scope.local_names.get(node.name, ())
                for part in _parts(bound.parent.value if isinstance(bound.parent, nodes.AugAssign) else assigned(bound))
            )
        return self._kept[key]

    def _answers(self, function: FunctionInfo, words: frozenset[str], depth: int) -> bool:
        """True for a function whose result says whether code is being traced."""
        memo, key = function.module.memo, ("asks", function, len(words))
        if key not in memo:
            memo[key] = False  # while it is looked into
            memo[key] = self._predicate(function, words, depth)
        return bool(memo[key])

    def _predicate(self, function: FunctionInfo, words: frozenset[str], depth: int) -> bool:
        """True where every result asks, or is a constant, and some result asks or stands under a test that does."""
        asked = False
        for returned in function.returns_nodes:
            if isinstance(returned.value, nodes.Const):
                asked = asked or self._under(function, returned, words, depth)
            elif any(self._asks(function.module, function, part, words, depth) for part in _parts(returned.value)):
                asked = True
            else:
                return False
        return asked

    def _under(self, function: FunctionInfo, node: nodes.NodeNG, words: frozenset[str], depth: int) -> bool:
        around, _ = tests_of(node, own=False)
        return any(self._asks(function.module, function, p, words, depth) for test, _ in around for p in _parts(test))

    def _answers_unread(self, function: FunctionInfo) -> bool:
        """True for a function that reads a tensor's value, each time where a test of its own keeps it out of traces."""
        memo, key = function.module.memo, ("unread", function)
        if key not in memo:
            memo[key] = False  # while it is looked into
            memo[key] = self._reads_guarded(function)
        return bool(memo[key])

    def _reads_guarded(self, function: FunctionInfo) -> bool:
        asking = any(self._asks(function.module, function, call, ASKS_TRACING, _DEPTH) for call in function.calls)
        if not asking:
            return False
        facts = self.analysis.facts_of(function.module, function)
        places: list[tuple[Any, Any]] = [
            (t, t.test) for t in function.tests if isinstance(t, (nodes.If, nodes.IfExp, nodes.While))
        ]
        places += [(r, r.value) for r in function.returns_nodes if r.value is not None]
        read = [
            (place, expression)
            for place, expression in places
            if any(truth_deps(facts.values.get(part, UNKNOWN)) & DATA for part in _parts(expression))
        ]
        return bool(read) and all(
            self.guard(function.module, function, place)
            or any(self._asks(function.module, function, part, ASKS_TRACING, _DEPTH) for part in _parts(expression))
            or all(self.unread(facts, function, part) for part in _parts(expression))
            for place, expression in read
        )


def _is_of_proxies(call: nodes.Call) -> bool:
    """True for `isinstance(x, Proxy)`, which asks whether torch.fx traces."""
    if not isinstance(call.func, nodes.Name) or call.func.name != "isinstance" or len(call.args) != 2:
        return False
    kinds: list[Any] = call.args[1].elts if isinstance(call.args[1], nodes.Tuple) else call.args[1:]
    return any(last_name(kind) == "Proxy" for kind in kinds)


def _parts(test: Any) -> Iterator[Any]:
    """The parts of an answer that `and`, `or`, `not` and `bool()` put together."""
    if isinstance(test, nodes.BoolOp):
        for value in test.values:
            yield from _parts(value)
    elif isinstance(test, nodes.UnaryOp):
        yield from _parts(test.operand)
    elif isinstance(test, nodes.BinOp) and test.op in ("|", "&"):
        yield from _parts(test.left)
        yield from _parts(test.right)
    elif isinstance(test, nodes.Call) and last_name(test.func) == "bool" and len(test.args) == 1:
        yield from _parts(test.args[0])
    elif test is not None:
        yield test


def tests_of(
    node: nodes.NodeNG, own: bool
) -> tuple[list[tuple[nodes.NodeNG, bool | None]], list[tuple[nodes.NodeNG, bool | None]]]:
    """The tests around a node (with `own`, its own too), and those of earlier statements that leave its blocks.

    Each with the outcome with which the node runs, None for its own.
    """
    around: list[tuple[nodes.NodeNG, bool | None]] = []
    earlier: list[tuple[nodes.NodeNG, bool | None]] = []
    if isinstance(node, (nodes.If, nodes.IfExp, nodes.While)):
        around = [(test, None) for test in ([node.test] if own else _asked_first(node.test))]
    elif isinstance(node, nodes.BoolOp) and own:
        around = [(value, node.op == "and") for value in node.values]
    child, up = node, node.parent
    while up is not None and not isinstance(up, FRAMES):
        if isinstance(up, (nodes.If, nodes.IfExp)) and child is not up.test:
            around.append((up.test, child in up.body if isinstance(up.body, list) else child is up.body))
        if isinstance(up, nodes.BoolOp):
            around.extend((value, up.op == "and") for value in up.values[: up.values.index(child)])
        earlier.extend(_left_before(child, up))
        child, up = up, up.parent
    if up is not None:
        earlier.extend(_left_before(child, up))
    return around, earlier


def _asked_first(test: nodes.NodeNG) -> list[nodes.NodeNG]:
    """The first operand of an `and`, which alone decides whether the others are looked at."""
    if not isinstance(test, nodes.BoolOp) or test.op != "and":
        return []
    first = test.values[0]
    return [first] if isinstance(first, nodes.UnaryOp) and isinstance(first.operand, nodes.Call) else []


def _left_before(child: nodes.NodeNG, up: nodes.NodeNG) -> list[tuple[nodes.NodeNG, bool | None]]:
    """The tests of earlier statements of the same block that leave it: what follows runs only where they were false."""
    for block in ("body", "orelse", "finalbody"):
        statements = getattr(up, block, None)
        if isinstance(statements, list) and child in statements:
            before = statements[: statements.index(child)]
            leaving = [s for s in before if isinstance(s, nodes.If) and s.body and isinstance(s.body[-1], _LEAVES)]
            return [(s.test, False) for s in leaving]
    return []
