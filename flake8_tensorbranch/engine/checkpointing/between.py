"""Changes between a checkpointed forward and its backward: the recompute does not read what the forward read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import asked, marks
from flake8_tensorbranch.engine.checkpointing.alterations import Alteration, alterations, is_undone
from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.behind import ONE
from flake8_tensorbranch.engine.checkpointing.contents import Contents
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.mutation import Mutations
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.checkpointing.siblings import others
from flake8_tensorbranch.engine.checkpointing.stores import stores
from flake8_tensorbranch.engine.checkpointing.ungraded import finds_no_gradients
from flake8_tensorbranch.engine.lookup.guards import in_other_arms
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.origins import Expr, line
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions.region import Entry
from flake8_tensorbranch.engine.regions.trace import noted, spelled
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.knowledge.frameworks import BACKWARD_WORDS
from flake8_tensorbranch.knowledge.layers import COUNTING, DRAWING
from flake8_tensorbranch.knowledge.modules import ITERATES_PARAMETERS
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, dotted

_DEPTH: Final = 4
_NEUTRAL: Final = (("+=", 0), ("-=", 0), ("*=", 1), ("/=", 1), ("**=", 1))
_MODELS: Final = frozenset({"model", "net", "network", "module"})


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one scope: after the call whose output a region is in, before a backward of it."""

    call: Expr
    end: nodes.NodeNG
    certain: bool = True


class Between:
    """Looks at the stretches between forwards and backwards of one program."""

    def __init__(self, mutations: Mutations) -> None:
        self.mutations = mutations
        self.insides = mutations.insides
        self.origins = mutations.insides.origins
        self.recomputes = Recomputes(self.origins, mutations.regions)
        self.backward = Backward(self.origins)
        self.contents = Contents(self.origins)
        self._resolver = self.origins.program.analysis.resolver
        self._named: dict[FunctionInfo, list[Expr]] = {}
        self._above: dict[tuple[FunctionInfo, int], dict[Span, None]] = {}
        self._begun: dict[nodes.NodeNG | None, list[Activation]] = {}
        self._run: dict[FunctionInfo, list[Activation]] = {}
        for head in self.insides.heads:
            self._begun.setdefault(head.entry.node, []).append(head)
            if head.twin is None:
                self._run.setdefault(head.function, []).append(head)
        self._alterations: dict[FunctionInfo | None, list[tuple[nodes.NodeNG, list[Alteration]]]] = {}

    def sites(self) -> Iterator[RegionSite]:
        """One site for each change, at the statement that makes it."""
        seen: set[Any] = set()
        for made, start in (*((m, m.call) for m in self.recomputes.all()), *self._elsewhere()):
            if without_grad(self.origins, made.call) or without_grad(self.origins, start):
                continue
            heads = {
                h.twin or h: None
                for h in (
                    *self._begun.get(made.call.node, ()),
                    *(h for f in made.functions for h in self._run.get(f, ())),
                )
            }
            region = [a for h in heads for a in h.run()]
            region = region or self._elsewhere_run(made)
            reentrant = self._variant(made, region)
            for span in self._spans(start, _DEPTH):
                changes = list(self._changes(span))
                for change in changes:
                    if is_undone(change, changes):
                        continue
                    if change.node not in seen and self._matters(change, span, made, region):
                        seen.add(change.node)
                        where = noted(made.call.module.path, made.call.node, "checkpointed here")
                        yield RegionSite(
                            SinkKind.CHANGED,
                            change.node,
                            span.call.scope,
                            spelled(change.said),
                            change.what,
                            reentrant,
                            span.certain,
                            (where,),
                        )

    def _variant(self, made: Recompute, region: list[Activation]) -> bool | None:
        """Whether the reentrant checkpoint recomputes; None where the source does not tell."""
        if region or made.row is None:
            return next((a.entry.reentrant for a in region), None)
        variants = self.recomputes.variants(made)
        return (not variants - {True, None} and made.row.reentrant) if len(variants) == 1 else None

    def _elsewhere(self) -> Iterator[tuple[Recompute, Expr]]:
        """The recomputes that other files make, with the call in this file that leads there."""
        index, program = self.origins.program.index, self.origins.program
        if not index.mentions(BACKWARD_WORDS):
            return
        for scope, facts in program.facts.items():
            for node, callees in facts.calls.items():
                if not isinstance(node, nodes.Call) or not any(
                    c.module is not index and (c.name == "forward" or c.module.mentions(("checkpoint",)))
                    for c in callees
                ):
                    continue
                start = Expr(index, scope, node)
                yield from ((m, start) for m in self.recomputes.behind(start) if m.call.module is not index)

    def _elsewhere_run(self, made: Recompute) -> list[Activation]:
        """What runs in a region that begins in another file."""
        entry = Entry("checkpointed", made.call.node, made.call.scope, made.row, ())
        return [
            Activation(self.origins, entry, f, self.origins.facts(f.module, f), {}) for f in self.recomputes.reads(made)
        ]

    def _spans(self, call: Expr, depth: int) -> Iterator[Span]:
        """The stretches from a call, and from the calls of the function around it, to backwards in the same scope."""
        for event in self.backward.of(call, 0):
            if event.node is not None and not call.node.parent_of(event.node):
                yield Span(call, event.node)
        yield from self._around(call.scope, depth)

    def _around(self, scope: FunctionInfo | None, depth: int) -> Iterable[Span]:
        """The stretches from the calls of a function, once each, however many ways lead there."""
        if depth <= 0 or scope is None:
            return ()
        if (scope, depth) not in self._above:
            sites = self.origins.sites(scope)
            found = dict.fromkeys(span for site in sites for span in self._spans(site, depth - 1))
            if not sites:
                if scope not in self._named:
                    self._named[scope] = list(self._supposed(scope))
                spans = (span for site in self._named[scope] for span in self._spans(site, depth - 1))
                found = dict.fromkeys(replace(span, certain=False) for span in spans)
            self._above[scope, depth] = found
        return self._above[scope, depth]

    def _supposed(self, forward: FunctionInfo) -> Iterator[Expr]:
        """Calls that only a name tells to run a module: `model(x)`, where the file has one that no other holds."""
        index = self.origins.program.index
        if forward.name != "forward" or forward.cls is None or self._roots != [forward.cls]:
            return
        for function in index.functions:
            facts = self.origins.facts(index, function)
            for call in function.calls:
                value = facts.values.get(call.func)
                name = (dotted(call.func) or "").rsplit(".", 1)[-1].lower()
                if value is not None and not value.refs and (name in _MODELS or name == forward.cls.name.lower()):
                    yield Expr(index, function, call)

    @cached_property
    def _roots(self) -> list[ClassInfo]:
        """The modules of the file that no method of another class makes."""
        index, resolver = self.origins.program.index, self.origins.program.analysis.resolver
        methods = [f for f in index.functions if f.cls is not None]
        made = [(f.cls, resolver.expression(index, call.func, f)) for f in methods for call in f.calls]
        built = {cls for by, cls in made if cls is not by}  # membership only
        return [c for c in index.classes if resolver.is_module(c) and c not in built]

    def _changes(self, span: Span) -> Iterator[Alteration]:
        begin, end = span.call.node.statement(), span.end.statement()
        last = begin.tolineno or 0
        for statement, found in self._altering(span.call.module, span.call.scope):
            if last < line(statement) < line(end) and not any(in_other_arms(statement, o) for o in (begin, end)):
                yield from found

    def _altering(self, module: ModuleIndex, scope: FunctionInfo | None) -> list[tuple[nodes.NodeNG, list[Alteration]]]:
        """The statements of a scope that alter something, with what they alter."""
        if scope not in self._alterations:
            top = module.tree if scope is None else scope.node
            kinds = (nodes.Expr, nodes.Assign, nodes.AugAssign, nodes.Delete)
            found = (
                (statement, list(alterations(self.origins, Expr(module, scope, statement))))
                for statement in top.nodes_of_class(kinds, NESTED)
            )
            self._alterations[scope] = [(statement, altered) for statement, altered in found if altered]
        return self._alterations[scope]

    def _matters(self, change: Alteration, span: Span, made: Recompute, region: list[Activation]) -> bool:
        """True when a change concerns something that the region reads."""
        near = span.call.node.func if isinstance(span.call.node, nodes.Call) else None
        apart = (change.of, change.target if change.what == "attribute" else None)
        if near is not None and any(others(self._resolver, each, near, span.call.scope) for each in apart if each):
            return False
        if change.what == "attribute":
            variant = self._variant(made, region)
            read = asked.is_read(self.origins, change, made, region, variant)
            return read and not _toggles(change, span) and not self._same(change, span)
        if change.what == "optimizer":
            without = finds_no_gradients(self.origins, self.recomputes.tree, change.said, span.call.scope)
            return not without and self._steps(change, span, made, region)
        if not self._concerns(change.target, span, made, region, change.part):
            return False
        if not marks.bears(self.origins, change, region):
            return False
        if change.what != "mode":
            return True
        if self._same_mode(change, span):
            return False
        start = made.function
        moved = next(self.contents.layers(region, start, {**DRAWING, **COUNTING}), None)
        return moved is not None or any(_asks_mode(a.function) for a in region)

    def _concerns(self, target: Expr, span: Span, made: Recompute, region: list[Activation], part: str = "") -> bool:
        """True when a module or tensor is of the region: by its class, or by the name that the forward runs under."""
        path = dotted(target.node)
        if path is None or asked.is_apart(self.origins, target, made, region, part if part != ONE else ""):
            return False
        if part == ONE and not self._is_whole(target, made, region):
            return False
        near = [span.call.node.func] if isinstance(span.call.node, nodes.Call) else []
        if made.function is not None and (made.call.scope is target.scope or _both_global(made.function, target)):
            near.append(made.function.node)
        for node in near:
            found = dotted(node.value if isinstance(node, nodes.Subscript) else node)
            if found is not None and (found == path or found.startswith(f"{path}.") or path.startswith(f"{found}.")):
                return True
        if self._is_handed(target, made, region):
            return True
        if near and others(self._resolver, target, near[0], span.call.scope):
            return False
        if len(near) > 1 and span.call.node is made.call.node and not _is_given(made.call.node, target.node):
            if others(self._resolver, target, near[1], span.call.scope):
                return False
        classes = {a.function.cls for a in region if a.function.cls is not None}
        up: FunctionInfo | None = made.call.scope
        while up is not None:
            if up.cls is not None:
                classes.add(up.cls)
            up = up.parent
        refs = self.origins.value(target).refs
        if any(isinstance(r, Instance) and isinstance(r.cls, ClassInfo) and r.cls in classes for r in refs):
            return True
        if any(isinstance(getattr(r, "cls", None), ClassInfo) for r in refs):
            return False
        held: Any = target.node
        while isinstance(held, nodes.Attribute):  # the tensor, the layer that has it, what has the layer, ...
            value = self.origins.value(replace(target, node=held.expr))
            owners = [r.cls for r in value.each if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)]
            kinds = {base for cls in owners for base in self._resolver.lineage(cls)} & classes
            if any(True for a in region for _ in asked.reads(a, held.attrname, {*kinds})):
                return True
            held = held.expr
        return False

    def _is_whole(self, target: Expr, made: Recompute, region: list[Activation]) -> bool:
        """True where a module itself is checkpointed, or a method of it: any of its parameters may be read."""
        classes = [r.cls for r in self.origins.value(target).each if isinstance(r, Instance)]
        own = made.function is not None and dotted(made.function.node) == dotted(target.node)
        return own or any(a.function.cls in classes for a in region)

    def _is_handed(self, target: Expr, made: Recompute, region: list[Activation]) -> bool:
        """True for what enters by keyword or closure, which no version counter guards (facts B4), or as a global."""
        if not isinstance(target.node, nodes.Name):
            return False
        name = target.node.name
        call = made.call.node
        here = made.call.scope is target.scope
        if here and any(isinstance(k.value, nodes.Name) and k.value.name == name for k in call.keywords):
            return True
        shared = owner(target.scope, name) is None
        return any(
            f.module is target.module
            and (
                (here and f.parent is target.scope and name not in f.local_names) or (shared and owner(f, name) is None)
            )
            and any(n.name == name for n in f.node.nodes_of_class(nodes.Name))
            for f in (*made.functions, *(a.function for a in region))
        )

    def _same(self, change: Alteration, span: Span) -> bool:
        """True when an attribute is set to the constant that it had in the forward, by all that the source tells."""
        stored, scope = change.stored, span.call.scope
        if stored is None or not isinstance(stored.value, nodes.Const) or stored.key is not None:
            return False
        step = stored.value.parent
        if isinstance(step, nodes.AugAssign):
            return (step.op, stored.value.value) in _NEUTRAL
        before = [
            a.stored.value
            for _, found in self._altering(span.call.module, scope)
            for a in found
            if a.stored is not None and a.stored.name == stored.name and line(a.node) < line(span.call.node)
        ]
        value = before[-1] if before else None
        if not before:
            owners = [r.cls for r in self.origins.value(change.target).each if isinstance(r, Instance)]
            value = asked.beginning(owners[0], stored.name) if len(owners) == 1 else None
        return isinstance(value, nodes.Const) and value.value == stored.value.value

    def _same_mode(self, change: Alteration, span: Span) -> bool:
        """True when the forward ran in the mode that is set."""
        scope = span.call.scope
        if scope is None:
            return False
        modes = [
            a
            for call in scope.calls
            if call.lineno < span.call.node.lineno
            for a in alterations(self.origins, Expr(span.call.module, scope, call.statement()))
            if a.what == "mode" and dotted(a.target.node) == dotted(change.target.node)
        ]
        if modes:
            return modes[-1].mode == change.mode
        return change.mode != "eval"  # a step that says nothing trains

    def _steps(self, change: Alteration, span: Span, made: Recompute, region: list[Activation]) -> bool:
        """True when an optimizer's step moves parameters of the region, as far as its construction tells."""
        value = self.origins.value(change.target)
        names = [str(r.cls) for r in value.each if isinstance(r, Instance)]
        if any("lr_scheduler" in n for n in names):
            return False
        built = [o for o in self.origins.of(change.target) if isinstance(o.node, nodes.Call)]
        owners = [
            Expr(o.module, o.scope, c.func.expr)
            for o in built
            for c in o.node.nodes_of_class(nodes.Call)
            if isinstance(c.func, nodes.Attribute) and c.func.attrname in ITERATES_PARAMETERS
        ]
        if owners:
            return any(self._concerns(owner, span, made, region) for owner in owners)
        if not names and "opt" not in (dotted(change.target.node) or "").lower():
            return False
        scope = span.call.scope
        others = {
            dotted(call.func.expr)
            for call in self.origins.program.index.calls_in(scope)
            if isinstance(call.func, nodes.Attribute)
            and call.func.attrname == "step"
            and "sched" not in (dotted(call.func) or "")
        }
        return len(others) == 1


def _both_global(one: Expr, other: Expr) -> bool:
    """True for two expressions that begin with names of one module's own."""
    roots = [(e.module, e.scope, (dotted(e.node) or "").partition(".")[0]) for e in (one, other)]
    return one.module is other.module and all(name and owner(scope, name) is None for _, scope, name in roots)


def _toggles(change: Alteration, span: Span) -> bool:
    """True where the attribute was set before the forward, too, and is set back here: a scope of its own."""
    scope, stored = span.call.scope, change.stored
    if scope is None or stored is None:
        return False
    path = dotted(stored.holder), stored.name
    statements = scope.node.nodes_of_class((nodes.Expr, nodes.Assign, nodes.AugAssign), NESTED)
    before = (s for s in statements if line(s) < line(span.call.node))
    return any((dotted(s.holder), s.name) == path for statement in before for s in stores(statement, NESTED))


def _asks_mode(function: FunctionInfo) -> bool:
    return any(n.attrname == "training" for n in function.node.nodes_of_class(nodes.Attribute, NESTED))


def _is_given(call: nodes.Call, target: nodes.NodeNG) -> bool:
    """True where a call is given the object at the root of what is changed, behind the function that it runs."""
    root = (dotted(target) or "").partition(".")[0]
    given = (*call.args[1:], *(k.value for k in call.keywords))
    return any(n.name == root for a in given for n in a.nodes_of_class(nodes.Name))
