"""Ints of objects that compiled code is handed: dynamic in arithmetic, a graph per value where they count or index."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.compiling.accesses import Access, Place
from flake8_tensorbranch.engine.compiling.compile_args import counting
from flake8_tensorbranch.engine.compiling.compile_state import KIND, State
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.regions.trace import noted
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.syntax.names import dotted


def sites(program: Program, regions: Regions, state: State) -> Iterator[TracedSite]:
    """A site where a compiled function counts or indexes Python objects with an int attribute of an argument (or of
    its own object, which is no module), that another call finds changed.
    """
    for function, membership in state.members.items():
        if membership.way:
            continue
        by_place: dict[Place, list[Access]] = {}
        for access in state.accesses(function):
            if access.place[0] is not None and state.is_given(function, access.node):
                by_place.setdefault(access.place, []).append(access)
        for place, accesses in by_place.items():
            first = accesses[0]
            names = {path for a in accesses if (path := dotted(a.node)) is not None}
            names |= loops.aliases(function, names)
            uses = [] if first.how in ("set", "empty") else list(counting(program, function, names))
            change = state.moves(place) if uses else None
            if change is None or change[0] != "int":
                continue
            where = noted(place[0].module.path if place[0] else program.index.path, change[1], "it changes here")
            subject = dotted(first.node) or place[1]
            for node in uses:
                if not state.tracers.guard(program.index, function, node, tracer=KIND):
                    facts: dict[str, object] = {"what": "argument"}
                    yield TracedSite(
                        SinkKind.COMPILED_STATE, node, function, subject, {KIND: membership}, facts, (where,)
                    )
