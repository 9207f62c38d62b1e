"""All sites of what tracers meet beside decisions: reads, changing state, dimensions, settings, checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine import compile_args, reads
from flake8_tensorbranch.engine.compile_state import State
from flake8_tensorbranch.engine.dimensions import Dimensions
from flake8_tensorbranch.engine.program import Program
from flake8_tensorbranch.engine.region import Regions
from flake8_tensorbranch.engine.sink import TracedSite


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """The sites of a program that rules about compiled, exported and mapped functions look at."""
    yield from reads.sites(program, regions)
    yield from State(program, regions).sites()
    yield from compile_args.sites(program, regions)
    yield from Dimensions(program, regions).sites()
