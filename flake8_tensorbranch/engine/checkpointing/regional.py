"""Sites of what checkpointed regions do that their recompute does not repeat alike."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.checkpointing import draws, routing, swallowed, unpacking
from flake8_tensorbranch.engine.checkpointing.between import Between
from flake8_tensorbranch.engine.checkpointing.consumption import Consumption
from flake8_tensorbranch.engine.checkpointing.entries import Entries
from flake8_tensorbranch.engine.checkpointing.keptgraph import KeptGraph
from flake8_tensorbranch.engine.checkpointing.latebinding import LateBinding
from flake8_tensorbranch.engine.checkpointing.mutation import mutations_of
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.sink import RegionSite
from flake8_tensorbranch.knowledge.frameworks import BACKWARD_WORDS


def sites(program: Program, regions: Regions) -> Iterator[RegionSite]:
    """The sites of every checkpointed region of a program."""
    mutations = mutations_of(program, regions)
    if not any(begin.kind == "checkpointed" for begin, _ in regions.entries):
        if program.index.mentions(BACKWARD_WORDS):
            yield from Between(mutations).sites()
        return
    yield from Consumption(mutations).sites()
    yield from draws.sites(mutations)
    yield from routing.sites(mutations.insides)
    yield from LateBinding(mutations.insides).sites()
    yield from swallowed.sites(mutations.insides)
    yield from unpacking.sites(mutations.insides)
    yield from Between(mutations).sites()
    yield from KeptGraph(mutations).sites()
    yield from Entries(mutations.insides).sites()
