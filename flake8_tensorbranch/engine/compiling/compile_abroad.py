"""State that a compiled function of another file counts up in every call: a new graph for each value."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.compiling.accesses import Access, Place
from flake8_tensorbranch.engine.compiling.compile_state import KIND, State
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.regions import abroad
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.regions.trace import noted, spelled
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite


def sites(program: Program, regions: Regions, state: State) -> Iterator[TracedSite]:
    """One site for each such state at each call in this file that leads to it."""
    tracers = Tracers(program.analysis)
    for there in abroad.reached(program, regions):
        member, function = there.regions.get(KIND), there.function
        if member is None or tracers.guard(program.index, there.scope, there.call, tracer=KIND):
            continue
        first: dict[Place, Access] = {}
        for access in state.accesses(function):
            begins = first.setdefault(access.place, access)
            cls, _ = access.place
            if begins.how == "set" or access.how not in ("step", "grow") or cls is None or not state.guards(cls):
                continue
            kind = state.kind(access.place)
            if kind == "int" and not regions.has("module-int-specialised"):
                continue
            if kind and state.carries(function, access, kind):
                if tracers.guard(function.module, function, access.node, tracer=KIND):
                    continue
                place = noted(function.module.path, access.node, "it changes here")
                yield TracedSite(
                    SinkKind.COMPILED_STATE,
                    there.call,
                    there.scope,
                    spelled(access.node),
                    {KIND: member},
                    {"what": kind},
                    (place,),
                )
                first[access.place] = Access(access.place, access.node, "set")  # told once
