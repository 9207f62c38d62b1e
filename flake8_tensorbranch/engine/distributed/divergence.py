"""Sites where a value that differs between ranks decides whether, how often or with which shape a collective runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Related
from flake8_tensorbranch.engine.distributed import rankguards
from flake8_tensorbranch.engine.distributed.collectives import BACKWARD, Collectives, Labels, calls_in, evaluated
from flake8_tensorbranch.engine.distributed.ranks import Ranks
from flake8_tensorbranch.engine.distributed.ranktaint import leaves
from flake8_tensorbranch.engine.inference.program import Program, functions_of
from flake8_tensorbranch.engine.lattice import DATA, SYNCED, TENSOR, UNKNOWN, AbstractValue
from flake8_tensorbranch.engine.lookup.control import Control, Fork
from flake8_tensorbranch.engine.lookup.origins import line
from flake8_tensorbranch.engine.refs import Instance, Wrapped
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.sink import CollectiveSite, SinkKind
from flake8_tensorbranch.knowledge import collectives as known
from flake8_tensorbranch.knowledge.gradients import BARE_MODULES
from flake8_tensorbranch.syntax.graph import Block
from flake8_tensorbranch.syntax.kinds import NESTED, SCOPE_NODES
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted


def sites(program: Program) -> Iterator[CollectiveSite]:
    """The sites of a program; none where nothing in it runs on several ranks."""
    collectives = Collectives(program)
    if not collectives.active:
        return
    ranks = Ranks(program, collectives)
    finder = _Finder(program, collectives, ranks)
    found = [s for scope, facts in program.facts.items() if not facts.exhausted for s in finder.scope(scope)]
    yield from found
    yield from (s for s in rankguards.sites(program, collectives) if all(s.node is not other.node for other in found))


@dataclass(frozen=True, slots=True)
class _Split:
    """What the sides of a decision do not have in common: one label, and whether one side runs it at all."""

    label: str
    often: bool
    replica: bool = False


class _Finder:
    def __init__(self, program: Program, collectives: Collectives, ranks: Ranks) -> None:
        self.program = program
        self.collectives = collectives
        self.ranks = ranks
        self.replicas = frozenset(self._replicas()) if collectives.replicated else frozenset()
        self.caught = self._caught()

    # What runs on every rank

    def _replicas(self) -> Iterator[FunctionInfo]:
        """Functions in the forward of a module whose gradients are averaged and which must use every parameter."""
        begin: list[FunctionInfo] = []
        unknown = False
        for facts in self.program.facts.values():
            for called in facts.externals.values():
                for name, args in called.items():
                    if name.rsplit(".", 1)[-1] not in known.REPLICATING:
                        continue
                    unused = args.get(8, "find_unused_parameters")
                    if unused is not None and unused.const is not False:
                        return
                    wrapped = args.get(0, "module")
                    found = [] if wrapped is None else list(functions_of(self.program.analysis, wrapped))
                    begin.extend(f for f in found if f in self.program.facts)
                    unknown = unknown or not found
        if unknown and not begin:
            begin = [
                f
                for c in self.program.index.classes
                if self.program.analysis.resolver.is_module(c)
                for f in [c.methods.get("forward")]
                if f is not None
            ]
        seen: set[FunctionInfo] = set()
        while begin:
            function = begin.pop()
            if function in seen or function not in self.program.facts:
                continue
            seen.add(function)
            yield function
            for callees in self.program.facts[function].calls.values():
                begin.extend(callees)

    def _caught(self) -> dict[FunctionInfo, list[tuple[FunctionInfo | None, nodes.NodeNG]]]:
        """The calls of functions that stand in a `try` whose handlers go on, by function."""
        found: dict[FunctionInfo, list[tuple[FunctionInfo | None, nodes.NodeNG]]] = {}
        for scope, facts in self.program.facts.items():
            for call, callees in facts.calls.items():
                if _handled(call):
                    for callee in callees:
                        found.setdefault(callee, []).append((scope, call))
        return found

    # Sites

    def scope(self, scope: FunctionInfo | None) -> Iterator[CollectiveSite]:
        """The sites of one scope."""
        control = self.ranks.control(scope)
        seen: set[tuple[nodes.NodeNG, int]] = set()
        for block in control.pruned.blocks:
            for test in self._tests(scope, block):
                if (test, block.index) in seen or self.ranks.differing.get(test, _NOWHERE) is not scope:
                    continue
                seen.add((test, block.index))
                fork = control.fork(block.index)
                found = None if fork is None else self._split(scope, control, fork)
                if found is None and scope in self.caught:
                    found = self._raised(scope, block)
                if found is not None:
                    yield self._site(scope, test, found)
        for block in control.pruned.blocks:
            for item in block.items:
                top = evaluated(item)
                if top is not None:
                    yield from self._in_expression(scope, top)

    def _tests(self, scope: FunctionInfo | None, block: Block) -> Iterator[nodes.NodeNG]:
        head = self.ranks.heads.get((scope, block.index))
        if head is not None:
            yield head
        for edge in block.edges:
            if edge.kind == "branch" and edge.test is not None:
                yield edge.test
            elif edge.kind == "case" and isinstance(edge.test, nodes.MatchCase):
                match = edge.test.parent
                if isinstance(match, nodes.Match):
                    yield match.subject

    def _split(self, scope: FunctionInfo | None, control: Control, fork: Fork) -> _Split | None:
        loop = any(e.kind == "loop" or isinstance(getattr(e.test, "parent", None), nodes.While) for e in fork.ways)
        found = self._compared(scope, control, fork.once, loop)
        if found is None:
            found = self._compared(scope, control, fork.sides, loop=True)
        if found is None and scope in self.replicas:
            used = [Counter(set(self._labels(scope, control, side, self._modules))) for side in fork.once]
            other = _difference(used, loop=False)
            found = None if other is None else _Split(other.label, often=False, replica=True)
        return found

    def _compared(
        self, scope: FunctionInfo | None, control: Control, sides: tuple[frozenset[int], ...], loop: bool
    ) -> _Split | None:
        return _difference([self._labels(scope, control, side, self.collectives.in_block) for side in sides], loop)

    def _labels(
        self,
        scope: FunctionInfo | None,
        control: Control,
        side: frozenset[int],
        of: Callable[[FunctionInfo | None, Block], Labels],
    ) -> Labels:
        found: Labels = Counter()
        for index in side:
            found += of(scope, control.pruned.blocks[index])
        return found

    def _modules(self, scope: FunctionInfo | None, block: Block) -> Labels:
        """The calls of modules with parameters in a block."""
        found: Labels = Counter()
        for item in block.items:
            if isinstance(item, nodes.NodeNG) and not isinstance(item, (nodes.FunctionDef, nodes.ClassDef)):
                for call in calls_in(item):
                    if self._has_parameters(self.program.value(scope, call.func)):
                        found[dotted(call.func) or trace.spelled(call.func)] += 1
        return found

    def _has_parameters(self, value: AbstractValue) -> bool:
        for ref in value.each:
            if isinstance(ref, Wrapped):
                return self._has_parameters(ref.function)
            cls = ref.cls if isinstance(ref, Instance) else None
            if isinstance(cls, ClassInfo) and self.program.analysis.resolver.is_module(cls):
                return True
            if (
                isinstance(cls, str)
                and cls.startswith("torch.nn.")
                and cls != "torch.nn.Module"
                and cls.rsplit(".", 1)[-1] not in BARE_MODULES
            ):
                return True
        return False

    def _raised(self, scope: FunctionInfo | None, block: Block) -> _Split | None:
        """What a side that raises leaves out, here and up to the handler in a caller."""
        if scope is None:
            return None
        open_control = Control(self.ranks.control(scope).cfg, escapes=True)
        fork = open_control.fork(block.index)
        leave = self.ranks.control(scope).cfg.raise_exit
        if fork is None or not any(
            leave in side or e.to == leave for e, side in zip(fork.ways, fork.sides, strict=True)
        ):
            return None
        found = self._split(scope, open_control, fork)
        if found is not None:
            return found
        for caller, call in self.caught[scope]:
            cfg = self.ranks.control(caller).cfg
            at = next((i for i in (cfg.block_of(n) for n in _around(call)) if i is not None), None)
            if at is None:
                continue
            outer = Control(cfg, throwing=frozenset({at}))
            thrown = outer.fork(at)
            if thrown is not None:
                left = self._left_out(caller, call)
                found = left or self._split(caller, outer, thrown)
                if found is not None:
                    return found
        return None

    def _left_out(self, scope: FunctionInfo | None, call: nodes.NodeNG) -> _Split | None:
        """A collective that is called on what a call gives back, in the same expression."""
        up, around = call.parent, call
        while up is not None and not up.is_statement:
            if isinstance(up, nodes.Call) and (around is not up.func or isinstance(around, nodes.Attribute)):
                direct = self.collectives.direct(scope, up)
                if direct:
                    return _Split(direct, often=False)
            around, up = up, up.parent
        return None

    def _in_expression(self, scope: FunctionInfo | None, top: nodes.NodeNG) -> Iterator[CollectiveSite]:
        """Choices inside of expressions, and collectives whose operand has another size on every rank."""
        facts = self.collectives.facts(scope)
        stack = [top]
        while stack:
            node = stack.pop()
            if isinstance(node, NESTED):
                continue
            stack.extend(node.get_children())
            if isinstance(node, nodes.IfExp) and self._differs(scope, node.test):
                sides = [self.collectives.in_tree(scope, part) for part in (node.body, node.orelse)]
                found = _difference(sides, loop=False)
                if found is not None:
                    yield self._site(scope, node.test, found)
            elif isinstance(node, nodes.BoolOp):
                for position, operand in enumerate(node.values[:-1]):
                    rest: Labels = Counter()
                    for later in node.values[position + 1 :]:
                        rest += self.collectives.in_tree(scope, later)
                    if rest and self._differs(scope, operand):
                        yield self._site(scope, operand, _Split(min(rest), often=False))
                        break
            elif isinstance(node, nodes.Comprehension):
                element = getattr(node.parent, "elt", None) or getattr(node.parent, "value", None)
                labels = self.collectives.in_tree(scope, element)
                for test in (node.iter, *node.ifs) if labels else ():
                    if self._differs(scope, test):
                        yield self._site(scope, test, _Split(min(labels), often=True))
                        break
            elif isinstance(node, nodes.Call):
                yield from self._shaped(scope, node, facts.values)

    def _differs(self, scope: FunctionInfo | None, test: nodes.NodeNG) -> bool:
        return self.ranks.chosen.get(test, _NOWHERE) is scope

    def _shaped(
        self, scope: FunctionInfo | None, call: nodes.Call, values: dict[nodes.NodeNG, AbstractValue]
    ) -> Iterator[CollectiveSite]:
        """A tensor whose size depends on its rank's values, given to a collective that needs one size."""
        name = self.collectives.direct(scope, call)
        if name not in known.EQUAL_SHAPES or not any(
            q.startswith("torch.distributed.") for q in self.collectives.facts(scope).externals.get(call, ())
        ):
            return
        first = 1 if name in ("all_gather", "all_gather_into_tensor", "reduce_scatter_tensor") else 0
        if len(call.args) <= first or scope is None:
            return
        operand = call.args[first]
        value = values.get(operand, UNKNOWN)
        if not value.must(TENSOR) or not value.deps & DATA or value.deps & SYNCED or not self.ranks.sized.get(operand):
            return
        if self._exchanged(scope, call):
            return
        yield self._site(scope, operand, _Split(name, often=False), shape=True)

    def _exchanged(self, scope: FunctionInfo | None, call: nodes.NodeNG, depth: int = 2) -> bool:
        """True where sizes may have been exchanged: another collective comes before a call, here or in a caller."""
        if scope is None:
            return False
        if any(line(c) < line(call) and self.collectives.of_call(scope, c) for c in scope.calls):
            return True
        callers = [(f, c) for f, facts in self.program.facts.items() for c, to in facts.calls.items() if scope in to]
        return depth > 0 and any(self._exchanged(f, c, depth - 1) for f, c in callers)

    def _site(
        self, scope: FunctionInfo | None, test: nodes.NodeNG, split: _Split, shape: bool = False
    ) -> CollectiveSite:
        subject = self._subject(scope, test)
        return CollectiveSite(
            kind=SinkKind.COLLECTIVE,
            node=test,
            function=scope,
            subject=trace.spelled(subject),
            label=_short(split.label),
            often=split.often,
            replica=split.replica,
            shape=shape,
            backward=split.label == BACKWARD,
            certain=split.label not in self.collectives.assumed
            and not (scope in self.collectives.steps and not self.collectives.trainer_seen),
            related=self._related(scope, subject),
        )

    def _subject(self, scope: FunctionInfo | None, test: nodes.NodeNG) -> nodes.NodeNG:
        parts = leaves(test)
        return next(
            (leaf for leaf in parts if self.ranks.chosen.get(leaf, _NOWHERE) is scope),
            parts[0] if len(parts) == 1 else test,
        )

    def _related(self, scope: FunctionInfo | None, subject: nodes.NodeNG) -> tuple[Related, ...]:
        return trace.way(self.program, scope, subject, {})


_NOWHERE: Final = object()


def _difference(sides: list[Labels], loop: bool) -> _Split | None:
    """The first label that one side runs more often than another; None when all sides run the same."""
    for label in sorted(sorted({label for side in sides for label in side}), key=lambda x: x != BACKWARD):
        counts = {side[label] for side in sides}
        if len(counts) > 1:
            return _Split(label, often=loop or 0 not in counts)
    return None


def _short(label: str) -> str:
    return label if len(label) <= 28 else label[:25] + "..."


def _around(node: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    up: nodes.NodeNG | None = node
    while up is not None and not isinstance(up, (nodes.FunctionDef, nodes.Module)):
        yield up
        up = up.parent


def _handled(node: nodes.NodeNG) -> bool:
    """True when an exception of a node is handled in its scope, and the handler does not end in another one."""
    child, up = node, node.parent
    while up is not None and not isinstance(up, SCOPE_NODES):
        if (
            isinstance(up, nodes.Try)
            and child in up.body
            and any(not isinstance(h.body[-1], nodes.Raise) for h in up.handlers)
        ):
            return True
        child, up = up, up.parent
    return False
