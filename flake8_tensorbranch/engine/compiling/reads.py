"""Places where a tensor's value becomes a Python number (`item`, `int(t)`, `tolist`) or the size of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.branching import frames, implied
from flake8_tensorbranch.engine.branching.answers import tracer_of
from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.compiling import indexed, mapped, unasked
from flake8_tensorbranch.engine.compiling.numbers import converted, number_read
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import (
    CONTAINER,
    DATA,
    MASK,
    TENSOR,
    UNBACKED,
    UNKNOWN,
    AbstractValue,
    element,
)
from flake8_tensorbranch.engine.regions import abroad, trace
from flake8_tensorbranch.engine.regions.batched import Batched
from flake8_tensorbranch.engine.regions.region import Membership, Regions
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.knowledge.tracing import MASKS_INSIDE
from flake8_tensorbranch.syntax.names import FunctionInfo, called_name

_SEVERAL: Final = frozenset({"where", "nonzero", "unique", "unique_consecutive"})
"""Operations that may give several tensors whose sizes depend on values."""
_SIZED: Final = DATA | UNBACKED  # of a tensor: what its size depends on
_TRACED: Final = ("compiled", "vmapped")


def sites(program: Program, regions: Regions, batched: Batched) -> Iterator[TracedSite]:
    """Every such place in a compiled function or one under vmap; in an exported one, where a number is converted."""
    tracers = Tracers(program.analysis)
    for scope, facts in program.facts.items():
        inside = {k: m for k in _TRACED if (m := regions.of(scope, k)) is not None}
        exported = regions.of(scope, "exported")
        if scope is None or not (inside or exported):
            continue
        asked = tested(scope, facts)
        guard = partial(tracers.guard, program.index, scope, tracer=tracer_of(inside))
        if exported is not None:
            keeps = partial(tracers.guard, program.index, scope, tracer=tracer_of({"exported": exported}))
            for node in _converted(scope, facts):
                if not under(node, asked) and not keeps(node):
                    yield _site(program, scope, SinkKind.SCALAR_READ, node, {"exported": exported}, regions.has)
        if not inside:
            continue
        for node, value in facts.values.items():
            if isinstance(node, nodes.Call):
                receiver = number_read(facts, node)
                if receiver is not None and not under(node, asked) and not guard(node):
                    kinds = dict(inside)
                    if not batched.reads(scope, receiver):
                        kinds.pop("vmapped", None)
                    yield _site(program, scope, SinkKind.SCALAR_READ, node, kinds, regions.has)
                    continue
                if (
                    "vmapped" in inside
                    and (draws(facts, node) or mapped.drawn(facts, node))
                    and not inside["vmapped"].entry.option("randomness")
                ):
                    only = {"vmapped": inside["vmapped"]}
                    yield _site(program, scope, SinkKind.MAPPED_DRAW, node, only, regions.has)
            chosen = _chosen(facts, node)
            if chosen is not None and "compiled" in inside and chosen not in asked and not guard(node):
                only = {"compiled": inside["compiled"]}
                yield _site(program, scope, SinkKind.SCALAR_READ, node, only, regions.has)
            by = indexed.index(scope, facts, node) if "compiled" in inside else None
            if by is not None and not under(node, asked) and not guard(node):
                found = _site(program, scope, SinkKind.SCALAR_READ, node, {"compiled": inside["compiled"]}, regions.has)
                yield _selecting(found, node, by)
            sized = (_is_sized(node, value) and _makes_size(facts, node)) or _is_masking(facts, node)
            if sized and not guard(node):
                kinds = dict(inside)
                if not batched.reads(scope, node):
                    kinds.pop("vmapped", None)
                yield _site(program, scope, SinkKind.SIZED_RESULT, node, kinds, regions.has)
        if "compiled" in inside:
            only = {"compiled": inside["compiled"]}
            for node, text in unasked.breaks(facts, asked, bool(inside["compiled"].way)):
                if not under(node, asked) and not guard(node):
                    found = _site(program, scope, SinkKind.SCALAR_READ, node, only, regions.has)
                    yield replace(found, facts={**found.facts, "text": text})
        if "vmapped" in inside:
            yield from _mapped(program, regions, batched, scope, facts, inside["vmapped"])
    for there in abroad.reached(program, regions):
        inside = {k: there.regions[k] for k in _TRACED if k in there.regions}
        if inside and not tracers.guard(program.index, there.scope, there.call, tracer=tracer_of(inside)):
            yield from _abroad(program, regions, batched, tracers, there, inside)
        only = {k: m for k, m in there.regions.items() if k == "exported"}
        if only and not tracers.guard(program.index, there.scope, there.call, tracer=tracer_of(only)):
            yield from _exported(program, regions, tracers, there, only)


def _converted(function: FunctionInfo, facts: Facts) -> dict[nodes.NodeNG, None]:
    """The numbers that a function makes of tensors, and what else stops an export (`mapped.refused`)."""
    numbers = (n for n in facts.values if type(n) is nodes.Call and converted(facts, n) is not None)
    return dict.fromkeys((*numbers, *mapped.refused(function, facts)))


def _mapped(
    program: Program, regions: Regions, batched: Batched, scope: FunctionInfo, facts: Facts, member: Membership
) -> Iterator[TracedSite]:
    """What only a function under `vmap` cannot do: there is no number of its values to take."""
    only = {"vmapped": member}
    asked = tested(scope, facts)
    found = ((SinkKind.SCALAR_READ, mapped.numbers), (SinkKind.SIZED_RESULT, mapped.masked))
    for kind, ask in found:
        for node, source in ask(scope, facts):
            if source not in asked and batched.reads(scope, source) and not under(node, asked):
                yield _site(program, scope, kind, node, only, regions.has)


def _abroad(
    program: Program,
    regions: Regions,
    batched: Batched,
    tracers: Tracers,
    there: abroad.Reached,
    inside: dict[str, Membership],
) -> Iterator[TracedSite]:
    """The places in a function of another file that a function of this one calls in a region, put at the call."""
    asked = tested(there.function, there.facts)
    for node, value in there.facts.values.items():
        read = isinstance(node, nodes.Call) and number_read(there.facts, node) is not None and not under(node, asked)
        by = indexed.index(there.function, there.facts, node) if "compiled" in inside else None
        if read or _chosen(there.facts, node) is not None:
            kind, what, by = SinkKind.SCALAR_READ, "read here", None
        elif by is not None and not under(node, asked):
            kind, what = SinkKind.SCALAR_READ, "selected here"
        elif _is_sized(node, value) and _makes_size(there.facts, node):
            kind, what, by = SinkKind.SIZED_RESULT, "made here", None
        else:
            continue
        only = {k: m for k, m in inside.items() if k != "vmapped" or batched.reads_beyond(there, node)}
        if not only or tracers.guard(there.function.module, there.function, node, tracer=tracer_of(only)):
            continue
        site = _site(program, there.scope, kind, there.call, only, regions.has)
        if by is not None:
            site = _selecting(replace(site, regions={"compiled": inside["compiled"]}), node, by)
        place = trace.noted(there.function.module.path, node, what)
        yield replace(site, subject=trace.spelled(node), related=(place, *site.related))


def _exported(
    program: Program, regions: Regions, tracers: Tracers, there: abroad.Reached, only: dict[str, Membership]
) -> Iterator[TracedSite]:
    """The numbers that such a function converts while an export runs."""
    function, facts = there.function, there.facts
    asked = tested(function, facts)
    for node in _converted(function, facts):
        if not under(node, asked) and not tracers.guard(function.module, function, node, tracer=tracer_of(only)):
            site = _site(program, there.scope, SinkKind.SCALAR_READ, there.call, only, regions.has)
            place = trace.noted(function.module.path, node, "read here")
            yield replace(site, subject=trace.spelled(node), related=(place, *site.related))


def _selecting(site: TracedSite, node: nodes.NodeNG, by: nodes.NodeNG) -> TracedSite:
    """The site of an index of rank 0: `fullgraph` does not capture it, no setting what `select` and `narrow` ask."""
    settings = {"captured": site.facts["captured"] and isinstance(node, nodes.Subscript), "whole": False}
    return replace(site, facts={**site.facts, **settings, "index": trace.spelled(by)})


def _site(
    program: Program,
    scope: FunctionInfo | None,
    kind: SinkKind,
    node: nodes.NodeNG,
    regions: dict[str, Membership],
    has: Callable[[str], bool],
) -> TracedSite:
    setting = "capture_scalar_outputs" if kind is SinkKind.SCALAR_READ else "capture_dynamic_output_shape_ops"
    facts: dict[str, object] = {
        "captured": setting in program.index.text,
        "whole": has("fullgraph-captures"),  # whether fullgraph=True captures it
        "lost": frames.lost(program, program.facts[scope], node, has)
        or frames.searches(program.facts[scope], node, has),
    }
    return TracedSite(kind, node, scope, trace.spelled(node), regions, facts, trace.way(program, scope, node, regions))


def _chosen(facts: Facts, node: nodes.NodeNG) -> nodes.NodeNG | None:
    """The tensor that picks an element of a list: its value becomes an index of Python's (facts H); else None."""
    if not isinstance(node, nodes.Subscript):
        return None
    owner, index = facts.values.get(node.value, UNKNOWN), facts.values.get(node.slice, UNKNOWN)
    return node.slice if owner.must(CONTAINER) and index.must(TENSOR) else None


def draws(facts: Facts, call: nodes.Call) -> bool:
    """True for a function of torch that draws from the default generator, for sure (facts J: refused under vmap)."""
    for name, args in facts.externals.get(call, {}).items():
        row = (
            lookup(name, len(args.positional), args.names(), kinds=args.kinds()) if name.startswith("torch.") else None
        )
        if row is None or "rng" not in row.effects or "generator" in args.keywords:
            return False
        if "dropout" not in name:
            return not name.rsplit(".", 1)[-1][:1].isupper()
        chance, training = args.get(1, "p"), args.get(2, "training")
        return (training is None or training.const is True) and (chance is None or bool(chance.const))
    return False


def _is_sized(node: nodes.NodeNG, value: AbstractValue) -> bool:
    """True for a tensor whose size depends on values, or several of them out of one operation."""
    if value.must(CONTAINER) and isinstance(node, nodes.Call) and called_name(node) in _SEVERAL:
        value = element(value)
    return value.must(TENSOR) and bool(value.deps & _SIZED)


def _is_masking(facts: Facts, node: nodes.NodeNG) -> bool:
    """True for a function that selects by a mask of its own."""
    return type(node) is nodes.Call and not MASKS_INSIDE.isdisjoint(facts.externals.get(node, ()))


def _makes_size(facts: Facts, node: nodes.NodeNG) -> bool:
    """True when the operation itself gives its result a size that depends on values: no input has such a size."""
    if isinstance(node, nodes.Subscript):
        index = facts.values.get(node.slice, UNKNOWN)
        parts = [item for _, item in index.items or ()] if index.must(CONTAINER) else [index]
        return any(part.kinds & TENSOR and part.deps & MASK for part in parts)
    if not isinstance(node, nodes.Call) or facts.calls.get(node):
        return False
    sources = [*node.args, *(k.value for k in node.keywords)]
    if isinstance(node.func, nodes.Attribute):
        sources.append(node.func.expr)
    values = [facts.values.get(source, UNKNOWN) for source in sources]
    return not any(value.kinds & TENSOR and value.deps & _SIZED for value in values)


def tested(scope: FunctionInfo, facts: Facts) -> set[nodes.NodeNG]:
    """The tests and iterables of a function: what is read in them is a decision's own read."""
    found: set[nodes.NodeNG] = set()
    for node in scope.tests:
        if isinstance(node, (nodes.If, nodes.IfExp, nodes.While, nodes.Assert)):
            found.add(node.test)
        elif isinstance(node, (nodes.For, nodes.Comprehension)):
            found.add(node.iter)
            found.update(getattr(node, "ifs", ()))
        elif isinstance(node, nodes.Match):
            found.add(node.subject)
        elif (key := implied.chosen_by(facts, node, scope)) is not None:
            found.add(key)
    return found


def under(node: nodes.NodeNG, tops: set[nodes.NodeNG]) -> bool:
    """True for one of these expressions, or a part of one."""
    up: nodes.NodeNG | None = node
    while up is not None and not up.is_statement:
        if up in tops:
            return True
        up = up.parent
    return False
