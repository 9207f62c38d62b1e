"""Decision sites: tests and loops whose outcome depends on a tensor's value, a size, randomness, or changing state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit, Related
from flake8_tensorbranch.engine.branching import bodies, forms, frames
from flake8_tensorbranch.engine.branching.answers import tracer_of
from flake8_tensorbranch.engine.checkpointing.mutation import Mutations, mutations_of
from flake8_tensorbranch.engine.compiling.dimensions import Dimensions
from flake8_tensorbranch.engine.finder import Finder
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.regions import abroad, trace
from flake8_tensorbranch.engine.regions.batched import Batched
from flake8_tensorbranch.engine.regions.region import Membership, Regions
from flake8_tensorbranch.engine.sink import Decides, SinkKind, ValueSite

_LOOPS: Final = (SinkKind.LOOP, SinkKind.SIZE_LOOP)


def sites(program: Program, regions: Regions) -> Iterator[ValueSite]:
    """Every decision site of the program's scopes."""
    mutations = mutations_of(program, regions)
    batched = Batched(program, regions)
    dimensions = Dimensions(program, regions)
    for scope, facts in program.facts.items():
        tests = program.index.tests_in(scope)
        if facts.exhausted or not (tests or regions.kinds(scope)):
            continue
        finder = Finder(program, regions, mutations, batched, dimensions, scope, facts)
        found = forms.of_python(program.analysis, scope, [(node, site) for node in tests for site in finder.at(node)])
        eager = {n for node, site in found if forms.breaks(site) for n in forms.loops_around(node, site.node)}
        yield from (site for node, site in found if site.kind is not SinkKind.SIZE_LOOP or node not in eager)
        yield from finder.look_ups()
    for there in abroad.reached(program, regions):
        stranger = _Stranger(program, regions, mutations, batched, dimensions, there)
        yield from stranger.sites()


class _Stranger(Finder):
    """Finds the decision sites of a function of another file, which a region of this file runs."""

    def __init__(
        self,
        program: Program,
        regions: Regions,
        mutations: Mutations,
        batched: Batched,
        dimensions: Dimensions,
        there: abroad.Reached,
    ) -> None:
        super().__init__(program, regions, mutations, batched, dimensions, there.function, there.facts)
        self.there = there
        self.memberships = there.regions
        self.module = there.function.module
        self.calls = there.calls(program.index)

    def sites(self) -> Iterator[ValueSite]:
        """The sites, put at the call in this file, but for those that only validate or are left out of traces."""
        there, around = self.there, self.program.facts[self.there.scope]
        for found in (*map(self.at, there.function.tests), self.look_ups()):
            for site in found:
                if site.guarded or not site.regions or not site.certain or site.decides is Decides.NOTHING:
                    continue
                if site.kind is SinkKind.SETTLED:
                    continue  # its own file tells
                if site.kind is SinkKind.RAISE and [*there.regions] == ["checkpointed"]:
                    continue
                yield replace(
                    site,
                    node=there.call,
                    function=there.scope,
                    effect=f"a {'loop' if site.kind in _LOOPS else 'branch'} in `{bodies.cut(there.function.name)}()`",
                    guarded=self.tracers.guard(
                        self.program.index, there.scope, there.call, tracer=tracer_of(site.regions)
                    ),
                    frame_lost=site.frame_lost or frames.lost(self.program, around, there.call, self.regions.has),
                )

    def is_mapped(self, subject: nodes.NodeNG) -> bool:
        """True when an expression reads what the call in this file hands on of what is mapped over."""
        return self.batched.reads_beyond(self.there, subject)

    def repairs(self, kind: SinkKind, node: nodes.NodeNG) -> dict[str, tuple[Edit, ...]]:
        """None: they would be edits of another file."""
        return {}

    def declared(self, kind: SinkKind, at: nodes.NodeNG) -> str:
        """Nothing: dimensions are declared for what this file defines."""
        return ""

    def related(self, subject: nodes.NodeNG, regions: dict[str, Membership]) -> tuple[Related, ...]:
        """The decision itself, and how the file's region comes to it."""
        there = self.there
        place = trace.noted(there.function.module.path, subject, "decided here")
        steps = [
            trace.noted(s.caller.module.path, s.node, "on the way to it") for s in there.way if s.caller is not None
        ]
        return (place, *trace.way(self.program, there.scope, there.call, regions), *steps)
