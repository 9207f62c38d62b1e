"""Regions that seed the host's generators themselves before they draw: their recompute draws the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.lattice import RANDOM, UNKNOWN
from flake8_tensorbranch.engine.lookup.guards import guards
from flake8_tensorbranch.knowledge.randomness import HOST_SEEDS, MAKERS
from flake8_tensorbranch.knowledge.regions import host_source

_TRAINING: Final = {"self.training": True}  # what holds wherever a region is recomputed


def repeats(insides: Insides, entry: object) -> bool:
    """True when every draw from the host that a region makes comes after a call that seeds its generator alike."""
    runs = [a for a in insides.all() if a.entry is entry]
    seeds = [(at, call, HOST_SEEDS[name]) for at in runs for call, name in _called(at) if name in HOST_SEEDS]
    seeds = [(at, call, family) for at, call, family in seeds if _is_fixed(at, call)]
    if not seeds:
        return False
    draws = [(at, call, name) for at in runs for call, name in _called(at) if _draws(name)]
    return bool(draws) and all(
        any(name.startswith(family) and _before(seed, at, call) for *seed, family in seeds) for at, call, name in draws
    )


def _called(at: Activation) -> Iterator[tuple[Any, str]]:
    for call, named in at.facts.externals.items():
        if isinstance(call, nodes.Call):
            yield from ((call, name) for name in named)


def _draws(name: str) -> bool:
    return name in MAKERS or (host_source(name) is not None and name not in HOST_SEEDS)


def _is_fixed(at: Activation, call: Any) -> bool:
    """True for a seed that is given, and not drawn."""
    return bool(call.args) and not any(at.facts.values.get(a, UNKNOWN).deps & RANDOM for a in call.args)


def _before(seed: list[Any], at: Activation | None, node: Any) -> bool:
    """True when a run comes to the call that seeds before it comes to a draw, in the same function or one it calls."""
    where, call = seed
    while at is not None and node is not None and at is not where:
        node, at = at.call, at.parent
    if at is None or node is None:
        return False
    tests = {t: o for t, o in guards(call).items() if guards(node).get(t) is not o}
    return tests.items() <= _TRAINING.items() and (call.lineno, call.col_offset) < (node.lineno, node.col_offset)
