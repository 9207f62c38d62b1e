"""What one scope decides on values, sizes, randomness or changing state: a site for each test, loop and look-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit, Related
from flake8_tensorbranch.engine.branching import (
    asserted,
    bodies,
    drawings,
    effects,
    forms,
    frames,
    implied,
    promises,
    sides,
    sizetests,
)
from flake8_tensorbranch.engine.branching.answers import tracer_of
from flake8_tensorbranch.engine.branching.fixedsize import is_fixed
from flake8_tensorbranch.engine.branching.orderings import ORDER, orderings
from flake8_tensorbranch.engine.branching.present import never_empty
from flake8_tensorbranch.engine.branching.specialised import gone_over, specialised
from flake8_tensorbranch.engine.branching.switchedoff import Switches
from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.checkpointing import gradmode
from flake8_tensorbranch.engine.checkpointing.mutation import Mutations
from flake8_tensorbranch.engine.compiling.dimensions import Dimensions
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.operators import length_deps, told, truth_deps
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import (
    CONTAINER,
    DATA,
    HOST,
    MASK,
    NONDET,
    RANDOM,
    REPLAYED,
    SETTLED,
    SHAPE,
    SYNCED,
    TENSOR,
    UNBACKED,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    all_deps,
)
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.regions.batched import Batched
from flake8_tensorbranch.engine.regions.heirs import hooks
from flake8_tensorbranch.engine.regions.region import Membership, Regions
from flake8_tensorbranch.engine.repairs.branches import Branch
from flake8_tensorbranch.engine.sink import OFTEN, ROWS, Decides, SinkKind, ValueSite
from flake8_tensorbranch.syntax.names import FunctionInfo

_INTERESTING: Final = DATA | SHAPE | RANDOM | UNBACKED
_LASTING: Final = SYNCED | REPLAYED
_SIZES: Final = SHAPE | UNBACKED


class Finder:
    """Finds the decision sites of one scope."""

    def __init__(
        self,
        program: Program,
        regions: Regions,
        mutations: Mutations,
        batched: Batched,
        dimensions: Dimensions,
        scope: FunctionInfo | None,
        facts: Facts,
    ) -> None:
        self.program = program
        self.regions = regions
        self.mutations = mutations
        self.batched = batched
        self.dimensions = dimensions
        self.scope = scope
        self.facts = facts
        self.context = effects.Context(program, scope, facts)
        self.module = program.index
        self.calls: dict[FunctionInfo, Expr] = {}
        self.tracers = Tracers(program.analysis)
        self.switches: Switches = regions.memo.get("switches") or regions.memo.setdefault("switches", Switches(program))
        self.memberships = {k: m for k in regions.kinds(scope) if (m := regions.of(scope, k)) is not None}

    def at(self, node: nodes.NodeNG) -> Iterator[ValueSite]:
        """The sites that a test-bearing node makes."""
        if isinstance(node, (nodes.If, nodes.IfExp, nodes.While, nodes.Assert)):
            yield from self.tested(node, node.test)
        elif isinstance(node, nodes.For):
            yield from self.loop(node, node.iter)
        elif isinstance(node, nodes.Comprehension):
            yield from self.loop(node, node.iter)
            for test in node.ifs:
                yield from self.tested(node, test)
        elif isinstance(node, nodes.BoolOp):
            if not forms.in_truth_context(node):
                for operand in node.values[:-1]:
                    yield from self.tested(node, operand)
        elif isinstance(node, nodes.UnaryOp):
            twice = isinstance(node.operand, nodes.UnaryOp) and node.operand.op == "not"
            if node.op == "not" and not twice and not forms.in_truth_context(node):
                yield from self.tested(node, node.operand)
        elif isinstance(node, nodes.Match):
            if forms.compares(node, not self.facts.values.get(node.subject, UNKNOWN).kinds & TENSOR):
                yield from self.tested(node, node.subject)
            for case in node.cases:
                if case.guard is not None:
                    yield from self.tested(node, case.guard)
        else:
            eager = not self.memberships
            for one in implied.at(self.program.analysis, self.module, self.scope, self.facts, node, eager):
                if one.deps & (DATA | RANDOM) or (self.memberships and not self.is_fixed(one.subject)):
                    yield self.implied(one)

    def implied(self, one: implied.Implied) -> ValueSite:
        """The site of a decision that no test is written for."""
        decides, effect, _ = self.context.decides(one.node)
        deps = one.deps & ~_LASTING
        kind = SinkKind.BRANCH if deps & (DATA | RANDOM) else SinkKind.SIZE_BRANCH
        if decides is Decides.ERROR and kind is SinkKind.BRANCH:
            kind = SinkKind.RAISE
        return self.make(kind, one.node, one.subject, deps, one.certain, "", decides, effect, one.node)

    def tested(self, node: nodes.NodeNG, test: nodes.NodeNG) -> Iterator[ValueSite]:
        """The site of a test, if its outcome depends on anything of interest."""
        deps = 0
        lasting = -1
        subject: nodes.NodeNG | None = None
        certain = True
        best = 0
        settled: list[tuple[nodes.NodeNG, AbstractValue]] = []
        for leaf in forms.leaves(test):
            value = told(self.facts.values.get(leaf, UNKNOWN))
            compared = isinstance(node, nodes.Match) and test is node.subject and not value.kinds & TENSOR
            own = truth_deps(value)
            if compared:
                own = (all_deps(value) if value.must(CONTAINER) else value.deps) & ~MASK
            if not own & _INTERESTING or (own & (DATA | RANDOM) and self.is_settled(leaf, truth_deps)):
                continue
            if not own & (DATA | RANDOM) and self.is_fixed(leaf):
                continue
            if self.memberships.keys() <= {"checkpointed"} and never_empty(self.scope, leaf):
                continue
            if own & SETTLED and own & DATA:
                settled.append((leaf, value))
                continue
            deps |= own & ~_LASTING
            if own & DATA:
                lasting &= own
            rank = 3 if own & DATA else 2 if own & RANDOM else 1
            if rank > best:
                best, subject = rank, leaf
                certain = not value.kinds & UNKNOWN_KIND
        member = self.memberships.get("checkpointed")
        mutated = self.mutated(test) or gradmode.asked(self.scope, self.facts, member, node, test)
        if subject is None and not mutated:
            for leaf, value in settled[:1]:
                decides, effect, _ = self.context.decides(node)
                certain = not value.kinds & UNKNOWN_KIND
                yield self.make(SinkKind.SETTLED, test, leaf, value.deps, certain, "", decides, effect, node)
            return
        if lasting != -1:
            deps |= lasting & _LASTING
        yield from self.site(node, test, subject if subject is not None else test, deps, certain, mutated)

    def mutated(self, test: nodes.NodeNG) -> str:
        """State that the test reads and its checkpointed region changes, as spelled."""
        return self.mutations.read(self.scope, test) if "checkpointed" in self.memberships else ""

    def related(self, subject: nodes.NodeNG, regions: dict[str, Membership]) -> tuple[Related, ...]:
        """The way of the value and of the region to a decision."""
        return trace.way(self.program, self.scope, subject, regions)

    def site(
        self, node: nodes.NodeNG, test: nodes.NodeNG, subject: nodes.NodeNG, deps: int, certain: bool, mutated: str
    ) -> Iterator[ValueSite]:
        decides, effect, leaves_loop = self.context.decides(node)
        if deps & UNBACKED and not deps & DATA and self.counts_as_value():
            deps |= DATA
        sized = not deps & (DATA | RANDOM) and bool(deps & (SHAPE | UNBACKED)) and not mutated
        if sized and not self.memberships:
            return  # sizes matter where something is traced or compiled
        if sized and bodies.is_check(node):
            decides = Decides.ERROR
        if isinstance(node, nodes.While) and decides is not Decides.ERROR:
            kind = SinkKind.SIZE_LOOP if sized else SinkKind.LOOP
        elif decides is Decides.ERROR:
            kind = SinkKind.SIZE_BRANCH if sized else SinkKind.RAISE
        elif leaves_loop:
            kind = SinkKind.SIZE_BRANCH if sized else SinkKind.LOOP
        else:
            kind = SinkKind.SIZE_BRANCH if sized else SinkKind.BRANCH
        yield self.make(kind, test, subject, deps, certain, mutated, decides, effect, node)

    def make(
        self,
        kind: SinkKind,
        at: nodes.NodeNG,
        subject: nodes.NodeNG,
        deps: int,
        certain: bool,
        mutated: str,
        decides: Decides,
        effect: str,
        node: nodes.NodeNG,
        form: str = "",
    ) -> ValueSite:
        memberships = self.memberships
        if "vmapped" in memberships and not self.is_mapped(subject):
            memberships = {k: m for k, m in memberships.items() if k != "vmapped"}
        if "checkpointed" in memberships and deps & DATA and not mutated and self.is_handed(at):
            memberships = {k: m for k, m in memberships.items() if k != "checkpointed"}
        if memberships and self.facts.hooks:
            answering = hooks(self.scope, self.facts, subject)
            memberships = {
                k: m
                for k, m in memberships.items()
                if not answering or any(self.regions.of(method, k) for method in answering)
            }
        if memberships:
            memberships = {k: m for k, m in memberships.items() if not self.switches.off(self.scope, node, m)}
        tracer = tracer_of(memberships) if memberships else ""
        own = kind is not SinkKind.SIZE_BRANCH or tracer in ("recorded", "proxied", "onnx")
        return ValueSite(
            kind=kind,
            node=at,
            function=self.scope,
            value=self.facts.values.get(subject, UNKNOWN),
            deps=self.mutations.drawn_anew(self.scope, deps),
            subject=trace.spelled(subject),
            effect=effect,
            decides=decides,
            driver=self.context.is_driver(node),
            certain=certain,
            regions=memberships,
            # A size asked for before the question is guarded on all the same.
            guarded=self.tracers.guard(self.module, self.scope, node, own, tracer)
            or bool(deps & DATA and self.tracers.unread(self.facts, self.scope, subject)),
            checked=promises.promised(self.scope, subject),
            declared=self.declared(kind, at),
            mutated=mutated,
            draw=drawings.of(self.scope, self.facts, at) if deps & RANDOM else "",
            form=form or self.form(node, at),
            comparison=self.comparison(kind, at),
            apart=sides.apart(self.facts, node) if kind is SinkKind.BRANCH else "",
            frame_lost=frames.lost(self.program, self.facts, node, self.regions.has)
            or frames.searches(self.facts, node if isinstance(node, nodes.UnaryOp) else at, self.regions.has),
            related=self.related(subject, memberships),
            repairs=self.repairs(kind, node),
        )

    def form(self, node: nodes.NodeNG, test: nodes.NodeNG) -> str:
        """How the source spells a decision: see `ValueSite.form`."""
        if not isinstance(node, nodes.Assert):
            return effects.form(node, test)
        return asserted.form(self.facts, node, self.is_whole() or asserted.CAPTURES in self.program.index.text)

    def is_whole(self) -> bool:
        """True in a region that is compiled with `fullgraph=True`."""
        compiled = self.memberships.get("compiled")
        return compiled is not None and compiled.entry.option("fullgraph") is True

    def is_handed(self, test: nodes.NodeNG) -> bool:
        """True when all that a test reads is whole numbers that its checkpointed region is handed."""
        return self.mutations.handed.asked(Expr(self.module, self.scope, test), self.calls)

    def is_mapped(self, subject: nodes.NodeNG) -> bool:
        """True when an expression reads what a `torch.vmap` maps over."""
        return self.batched.reads(self.scope, subject)

    def repairs(self, kind: SinkKind, node: nodes.NodeNG) -> dict[str, tuple[Edit, ...]]:
        """The edits that do without a branch."""
        if kind is not SinkKind.BRANCH or self.scope is None or not isinstance(node, (nodes.If, nodes.IfExp)):
            return {}
        return Branch(self.program.index, self.scope, self.facts.values, node).repairs()

    def is_fixed(self, node: nodes.NodeNG) -> bool:
        """True when the sizes that an expression depends on never change: a compiled region has one graph for them."""
        return bool(self.memberships) and is_fixed(self.program.analysis.resolver, self.scope, self.facts, node)

    def is_settled(self, node: nodes.NodeNG, deps: Callable[[AbstractValue], int]) -> bool:
        """True in a checkpointed region for what was read before it ran: the recompute is handed the same number."""
        return [*self.memberships] == ["checkpointed"] and self.mutations.settled(self.scope, node, deps)

    def look_ups(self) -> Iterator[ValueSite]:
        """The sites of look-ups by a size in traced functions: the size becomes a key, and with it a constant."""
        if not self.memberships:
            return
        yield from self.ordered()
        for one in implied.searches(self.facts):
            site = replace(self.implied(one), form=implied.SEARCH)
            left = {kind: member for kind, member in site.regions.items() if kind != "checkpointed"}
            if one.captured and "exported" in left and left["exported"].entry.option("strict") is True:
                del left["exported"]
            if left and not (self.is_whole() and one.captured):
                yield replace(site, regions=left)
        for node in gone_over(self.facts):
            if not self.is_fixed(node):
                deps = length_deps(self.facts.values[node])
                yield self.make(SinkKind.SIZE_LOOP, node, node, deps, True, "", Decides.WORK, OFTEN, node, "for")
        for node, key, form in specialised(self.facts):
            if not self.is_fixed(key):
                deps = self.facts.values[key].deps
                looks = form in ("look-up", "get")
                effect = "which entry is used" if looks else "what is computed"
                site = self.make(SinkKind.SIZE_LOOP, node, node, deps, True, "", Decides.WORK, effect, node, form)
                yield replace(site, declared=self.declared(SinkKind.SIZE_LOOP, key) if looks else "")

    def ordered(self) -> Iterator[ValueSite]:
        """The sites of calls in a region that put tensors in order by value; tracers record `max(a, b)` itself."""
        for node, effect, recorded in orderings(self.program, self.scope, self.facts):
            site = self.make(SinkKind.BRANCH, node, node, DATA, True, "", Decides.WORK, effect, node, ORDER)
            spared = ("compiled", "exported") if recorded else ()
            left = {kind: member for kind, member in site.regions.items() if kind not in spared}
            if left:
                yield replace(site, regions=left)

    def comparison(self, kind: SinkKind, test: nodes.NodeNG) -> str:
        """How a size is asked: see `ValueSite.comparison`."""
        origins, here = self.mutations.origins, partial(Expr, self.module, self.scope)
        if kind is SinkKind.SIZE_LOOP:
            return sizetests.rounds(origins, here(test), self.calls)
        leaves = forms.leaves(test) if kind is SinkKind.SIZE_BRANCH else ()
        sizes = [leaf for leaf in leaves if told(self.facts.values.get(leaf, UNKNOWN)).deps & _SIZES]
        found = {sizetests.comparison(origins, here(leaf), self.calls) for leaf in sizes}
        return found.pop() if len(found) == 1 else ""

    def declared(self, kind: SinkKind, at: nodes.NodeNG) -> str:
        """How the dimension was declared dynamic that a decision on a size fixes; empty where it fixes none."""
        if kind not in (SinkKind.SIZE_BRANCH, SinkKind.SIZE_LOOP):
            return ""
        found = self.dimensions.fixed(self.scope, at, kind is SinkKind.SIZE_LOOP)
        return "" if found is None else found.form

    def counts_as_value(self) -> bool:
        """Whether a size that depends on values counts as one: not where the graph broke at what made it (facts H)."""
        compiled = self.memberships.get("compiled")
        return compiled is None or "checkpointed" in self.memberships or compiled.entry.option("fullgraph") is True

    def loop(self, node: nodes.For | nodes.Comprehension, iterable: nodes.NodeNG) -> Iterator[ValueSite]:
        """The site of a loop whose number of rounds depends on a value or a size."""
        value = self.facts.values.get(iterable, UNKNOWN)
        deps, effect = length_deps(value), OFTEN
        if value.kinds & TENSOR and value.kinds & HOST and value.kinds & CONTAINER:
            deps &= ~SHAPE  # an element of a container of different things: not the tensor's rows
        rows = forms.rows_of(iterable) if value.kinds & CONTAINER and not forms.is_unpacked(node) else None
        if rows is not None:
            deps |= SHAPE
        if deps & UNBACKED and self.counts_as_value():
            deps |= DATA
        if (
            value.kinds & CONTAINER
            and not deps & DATA
            and forms.from_tolist(iterable)
            and value.elem is not None
            and value.elem.deps & DATA
        ):
            deps |= DATA
            effect = ROWS
        if not deps & _INTERESTING or (not deps & (DATA | RANDOM) and self.is_fixed(rows or iterable)):
            return
        if deps & DATA and self.is_settled(iterable, length_deps):
            return
        kind = SinkKind.LOOP if deps & (DATA | RANDOM) else SinkKind.SIZE_LOOP
        kind = SinkKind.SETTLED if deps & SETTLED and deps & DATA else kind
        certain = not value.kinds & UNKNOWN_KIND
        yield self.make(
            kind,
            iterable,
            iterable,
            deps & ~NONDET | value.deps & NONDET,
            certain,
            "",
            self.context.rounds(node),
            effect,
            node,
        )
