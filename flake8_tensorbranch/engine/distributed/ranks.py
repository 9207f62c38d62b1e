"""Which values can differ between ranks: a taint analysis over the scopes of a program, through data and control.

Marks (see `marks`) flow through names, attributes, parameters and returned values; every scope is solved to its
fixpoint, all scopes together until nothing changes.
"""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.distributed import marks
from flake8_tensorbranch.engine.distributed.collectives import Collectives, evaluated
from flake8_tensorbranch.engine.distributed.marks import CLEAN, OUTSIDE, STEERING, State, Taint
from flake8_tensorbranch.engine.distributed.ranktaint import Evaluator, elements, leaves
from flake8_tensorbranch.engine.inference.operators import length_deps, truth_deps
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    DATA,
    MAPPING,
    NAMESPACE,
    OBJECT,
    SYNCED,
    TENSOR,
    UNBACKED,
    UNKNOWN,
    AbstractValue,
)
from flake8_tensorbranch.engine.lookup.control import Control, Fork
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.solver import Budget, solve
from flake8_tensorbranch.syntax.binding import unpacked
from flake8_tensorbranch.syntax.graph import Block, Edge, ForBind, IterEval, LambdaReturn, MatchSubject, Test, WithEnter
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

ROUNDS: Final = 5
"""How often taints are pushed on along calls and attributes: the longest chain of them that is followed."""


class Ranks:
    """The taints of a program: what attributes hold, functions return, parameters get; and the tests that differ."""

    def __init__(self, program: Program, collectives: Collectives) -> None:
        self.program = program
        self.collectives = collectives
        self.returned: dict[FunctionInfo, Taint] = {}
        self.attributes: dict[tuple[ClassInfo, str], Taint] = {}
        self.passed: dict[tuple[FunctionInfo, str], Taint] = {}
        self.agreed: dict[FunctionInfo, frozenset[str]] = {}  # parameters that a function makes the same, in place
        self.differing: dict[
            nodes.NodeNG, FunctionInfo | None
        ] = {}  # tests and iterables that decide at the end of a block
        self.chosen: dict[nodes.NodeNG, FunctionInfo | None] = {}  # these, their parts, and tests within expressions
        self.sized: dict[nodes.NodeNG, Taint] = {}  # operands of calls
        self.heads: dict[
            tuple[FunctionInfo | None, int], nodes.NodeNG
        ] = {}  # the iterable of the loop whose head a block is
        self.controls: dict[FunctionInfo | None, Control] = {}
        self.changed = False
        for _ in range(ROUNDS):
            self.changed = False
            for table in (self.differing, self.chosen, self.sized):
                table.clear()
            for scope, facts in program.facts.items():
                if not facts.exhausted:
                    _Scope(self, scope).run()
            if not self.changed:
                break

    def control(self, scope: FunctionInfo | None) -> Control:
        """The forks of a scope, exceptions that leave it left out."""
        found = self.controls.get(scope)
        if found is None:
            index = self.program.index
            cfg = self.program.analysis.cfg(index, index.tree if scope is None else scope.node)
            found = self.controls[scope] = Control(cfg)
        return found

    def resolved(self, scope: FunctionInfo | None, taint: Taint) -> Taint:
        """A taint without parameters: each is replaced by what the calls in the program give it."""
        given = {
            m[1:]: CLEAN if scope is None else self.passed.get((scope, m[1:]), OUTSIDE)
            for m in taint  # any order
            if len(m) > 1
        }
        return marks.substituted(taint, given)

    def note_attribute(self, cls: ClassInfo, name: str, taint: Taint) -> None:
        """Record what an attribute of a class's objects may hold."""
        old = self.attributes.get((cls, name), None)
        new = taint if old is None else old | taint
        if new != old:
            self.attributes[cls, name] = new
            self.changed = True

    def note_argument(self, function: FunctionInfo, name: str, taint: Taint) -> None:
        """Record what a call gives to a parameter."""
        old = self.passed.get((function, name))
        new = taint if old is None else old | taint
        if new != old:
            self.passed[function, name] = new
            self.changed = True

    def differs(self, scope: FunctionInfo | None, taint: Taint, value: AbstractValue, deps: int) -> bool:
        """True when a decision on a value comes out differently on different ranks."""
        found = self.resolved(scope, taint)
        if not found or "~" in found:
            return False
        level = max(map(marks.level, found))  # any order
        if level == marks.STEERED:
            return True
        if value.deps & SYNCED:
            return False
        if deps & (DATA | UNBACKED):
            return True
        return level == marks.READ and not value.kinds & (
            TENSOR | CONTAINER | MAPPING | OBJECT | CALLABLE | NAMESPACE | ARRAY
        )


class _Scope:
    """One scope: the fixpoint of the states at its blocks."""

    def __init__(self, ranks: Ranks, scope: FunctionInfo | None) -> None:
        self.ranks = ranks
        self.scope = scope
        self.control = ranks.control(scope)
        self.cfg = self.control.pruned
        self.merged: dict[int, State] = {}  # what holds different values from this block on
        self.uneven: dict[int, Taint] = {}  # blocks that only some ranks run
        self.iterated: dict[nodes.NodeNG, Taint] = {}
        self.evaluator = Evaluator(ranks, scope, self._bind)
        self.result: Taint = CLEAN
        self.again = False

    def run(self) -> None:
        """Find the taints of the scope and hand on what leaves it."""
        scope = self.scope
        entry: State = {}
        if scope is not None:
            names = [p.name for p in scope.params] + [n for n in (scope.vararg, scope.kwarg) if n]
            entry = {n: marks.parameter(n) for n in names}
            if scope.takes_self:
                entry[scope.params[0].name] = CLEAN
        budget = Budget(visits=40 * len(self.cfg.blocks) + 200, widen_after=1000)
        for _ in range(4):
            self.again = False
            self.result = CLEAN
            solution = solve(self.cfg, entry, self._step, _merge, _equal, _pass, budget, _keep)
            if solution.exhausted or not self.again:
                break
        if scope is not None:
            if self.result != self.ranks.returned.get(scope, CLEAN):
                self.ranks.returned[scope] = self.result  # replaced: an earlier round knew less of what is agreed
                self.ranks.changed = True
            agreed = frozenset(self.evaluator.agreed)
            if agreed != self.ranks.agreed.get(scope, frozenset()):
                self.ranks.agreed[scope] = agreed
                self.ranks.changed = True

    def _step(self, block: Block, state: State) -> State:
        state = dict(state)
        for path, steering in self.merged.get(block.index, {}).items():
            old = state.get(path, CLEAN)
            if "~" not in old:
                state[path] = old | steering
                present = marks.presence(path)
                state[present] = state.get(present, marks.steered(old)) | marks.steered(steering)
        self.evaluator.state = state
        for item in block.items:
            self._execute(block, item)
        for edge in block.edges:
            if edge.kind == "loop" and edge.truth:
                loop = self._loop(edge.to)
                if loop is not None:
                    self.ranks.heads[self.scope, block.index] = loop.iter
                    value = self.evaluator.facts.values.get(loop.iter, UNKNOWN)
                    self._decide(
                        block,
                        loop.iter,
                        self.iterated.get(loop, CLEAN),
                        value,
                        length_deps(value) | elements(loop.iter, value),
                    )
                break
        return state

    def _loop(self, index: int) -> nodes.For | None:
        for _ in range(3):
            block = self.cfg.blocks[index]
            for item in block.items[:1]:
                return item.node if isinstance(item, ForBind) else None
            if len(block.edges) != 1:
                return None
            index = block.edges[0].to
        return None

    def _execute(self, block: Block, item: object) -> None:
        evaluator = self.evaluator
        evaluator.seen.clear()
        if isinstance(item, ForBind):
            self._bind(item.node.target, self.iterated.get(item.node, OUTSIDE))
        elif isinstance(item, IterEval):
            self.iterated[item.node] = evaluator.taint(item.node.iter)
        elif isinstance(item, WithEnter):
            expression, target = item.node.items[item.index]
            taint = evaluator.taint(expression)
            if target is not None:
                self._bind(target, taint)
        elif isinstance(item, (Test, MatchSubject)):
            test = evaluated(item)
            if test is not None:
                evaluator.taint(test)
                self._test(block, test)
        elif isinstance(item, nodes.Assert):
            evaluator.taint(item)
            self._test(block, item.test)
        elif isinstance(item, LambdaReturn):
            self._return(block, evaluator.taint(item.expr))
        elif isinstance(item, nodes.Return):
            self._return(block, CLEAN if item.value is None else evaluator.taint(item.value))
        elif isinstance(item, nodes.Assign):
            taint = evaluator.taint(item.value)
            for target in item.targets:
                self._bind(target, taint, item.value, block)
        elif isinstance(item, nodes.AnnAssign):
            if item.value is not None:
                self._bind(item.target, evaluator.taint(item.value), item.value, block)
        elif isinstance(item, nodes.AugAssign):
            self._bind(item.target, evaluator.taint(item.value) | evaluator.taint(item.target), None, block)
        elif isinstance(item, nodes.NodeNG) and not isinstance(item, (nodes.FunctionDef, nodes.ClassDef)):
            for child in item.get_children():
                evaluator.taint(child)

    def _return(self, block: Block, taint: Taint) -> None:
        self.result |= taint | self.uneven.get(block.index, CLEAN)

    # Decisions

    def _test(self, block: Block, test: nodes.NodeNG) -> None:
        for leaf in leaves(test):
            value = self.evaluator.facts.values.get(leaf, UNKNOWN)
            taint = self.evaluator.taint(leaf)
            if self._decide(block, test, taint, value, truth_deps(value)):
                self.ranks.chosen[leaf] = self.scope
                return

    def _decide(self, block: Block, test: nodes.NodeNG, taint: Taint, value: AbstractValue, deps: int) -> bool:
        if not self.ranks.differs(self.scope, taint, value, deps):
            return False
        self.ranks.differing[test] = self.scope
        fork = self.control.fork(block.index)
        if fork is not None:
            self._split(fork, marks.raised(taint, marks.STEERED))
        return True

    def _split(self, fork: Fork, steering: Taint) -> None:
        """What a fork's sides assign is not the same on every rank where they have met."""
        region = fork.region
        if fork.meets is None:
            for index in region:
                self._note(self.uneven, index, steering)
        else:
            known = self.merged.setdefault(fork.meets, {})
            for path in sorted({p for index in region for p in _assigned(self.cfg.blocks[index])}):
                self._note(known, path, steering)
        for index in region:
            for path in sorted(_assigned(self.cfg.blocks[index])):
                if "." in path:
                    self._store(path, STEERING)
                    self._store(marks.presence(path), STEERING)

    def _note(self, table: dict[Any, Taint], key: object, taint: Taint) -> None:
        old = table.get(key, CLEAN)
        if not taint <= old:
            table[key] = old | taint
            self.again = True

    # Stores

    def _bind(self, target: Any, taint: Taint, value: Any = None, block: Block | None = None) -> None:
        if isinstance(target, (nodes.Tuple, nodes.List)):
            for inner, part in unpacked(target, value):
                self._bind(inner, taint if part is None else self.evaluator.taint(part), part, block)
        elif isinstance(target, nodes.Starred):
            self._bind(target.value, taint)
        elif isinstance(target, nodes.AssignName):
            self.evaluator.state[target.name] = taint
            self.evaluator.state[marks.presence(target.name)] = self._presence(taint, value)
        elif isinstance(target, nodes.AssignAttr):
            path = dotted(target)
            if path is not None:
                present = self._presence(taint, value)
                self.evaluator.state[path] = taint
                self.evaluator.state[marks.presence(path)] = present
                self._store(path, self.ranks.resolved(self.scope, taint))
                self._store(marks.presence(path), self.ranks.resolved(self.scope, present))
        elif isinstance(target, nodes.Subscript):
            path = dotted(target.value)
            if path is not None:
                self.evaluator.state[path] = marks.combined(marks.read(self.evaluator.state.get(path, CLEAN)), taint)

    def _presence(self, taint: Taint, value: nodes.NodeNG | None) -> Taint:
        return marks.steered(taint) if value is None else self.evaluator.presence(value)

    def _store(self, path: str, taint: Taint) -> None:
        """Record a store to an attribute on the class it belongs to."""
        head, _, name = path.partition(".")
        if "." in name:
            return
        scope = self.scope
        if scope is not None and scope.takes_self and head == scope.params[0].name and scope.cls is not None:
            self.ranks.note_attribute(scope.cls, name, taint)
            return
        for node, value in self.evaluator.facts.values.items():
            if isinstance(node, nodes.Name) and node.name == head:
                for ref in value.each:
                    if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                        self.ranks.note_attribute(ref.cls, name, taint)
                return


def _assigned(block: Block) -> set[str]:
    """The names and attribute paths that a block binds."""
    found: set[str] = set()
    for item in block.items:
        targets: list[Any] = []
        if isinstance(item, nodes.Assign):
            targets = list(item.targets)
        elif isinstance(item, (nodes.AugAssign, nodes.AnnAssign)):
            targets = [item.target]
        elif isinstance(item, nodes.Expr) and isinstance(item.value, nodes.Call):
            func = item.value.func
            if isinstance(func, nodes.Attribute) and func.attrname in (
                "append",
                "extend",
                "add",
                "insert",
                "update",
                "pop",
                "remove",
                "discard",
                "clear",
            ):
                path = dotted(func.expr)
                if path is not None:
                    found.add(path)
        while targets:
            target = targets.pop()
            if isinstance(target, (nodes.Tuple, nodes.List)):
                targets.extend(target.elts)
            elif isinstance(target, nodes.Subscript):
                target = target.value
                if isinstance(target, (nodes.Name, nodes.Attribute)):
                    found.add(dotted(target) or "")
            elif isinstance(target, (nodes.AssignName, nodes.AssignAttr)):
                found.add(dotted(target) or "")
    found.discard("")
    return found


def _merge(a: State, b: State) -> State:
    merged = dict(a)
    for path, taint in b.items():
        if path in merged:
            merged[path] |= taint
        elif "." not in path:
            merged[path] = taint
    return {p: t for p, t in merged.items() if "." not in p or (p in a and p in b)}


def _equal(a: State, b: State) -> bool:
    return a == b


def _pass(edge: Edge, state: State) -> State:
    return state


def _keep(old: State, new: State) -> State:
    return new
