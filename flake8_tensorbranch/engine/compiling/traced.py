"""All sites of what tracers meet beside decisions: reads, changing state, dimensions, settings, checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.compiling import (
    advanced,
    compile_abroad,
    compile_args,
    flex,
    frozen_reads,
    handed,
    items,
    proxied,
    reads,
    unguarded,
    vmapped,
)
from flake8_tensorbranch.engine.compiling.compile_checkpoint import Conflicts
from flake8_tensorbranch.engine.compiling.compile_state import State
from flake8_tensorbranch.engine.compiling.dimensions import Dimensions
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.regions.batched import Batched
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.sink import TracedSite


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """The sites of a program that rules about compiled, exported and mapped functions look at."""
    yield from flex.sites(program, regions)
    if all(entry.kind == "checkpointed" for entry, _ in regions.entries):
        return
    for scope in program.index.scopes:
        program.facts.get(scope)  # callers of what is traced are asked for what they pass: solved, whatever is in them
    state = State(program, regions)
    batched = Batched(program, regions)
    yield from reads.sites(program, regions, batched)
    yield from frozen_reads.sites(program, regions)
    yield from proxied.sites(program, regions)
    yield from state.sites()
    yield from items.sites(program, regions, state)
    yield from handed.sites(program, regions, state)
    yield from advanced.sites(program, regions)
    yield from compile_abroad.sites(program, regions, state)
    yield from compile_args.sites(program, regions)
    yield from Dimensions(program, regions).sites()
    yield from Conflicts(program, regions, state).sites()
    yield from unguarded.sites(program, regions)
    yield from vmapped.sites(program, regions, batched)
