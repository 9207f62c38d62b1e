"""Regions that seed generators themselves before they draw from them: their recompute draws the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import places
from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.lattice import RANDOM, UNKNOWN
from flake8_tensorbranch.engine.lookup.guards import guards
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.randomness import HOST_SEEDS, MAKERS, RESTORES, SEEDING
from flake8_tensorbranch.knowledge.regions import host_source

_CLASSES: Final = frozenset(MAKERS.values())
_TRAINING: Final = {"self.training": True}  # what holds wherever a region is recomputed


def repeats(insides: Insides, entry: object) -> bool:
    """True when every draw that a region makes, and its recompute makes anew, comes after a call that seeds its
    generator alike.
    """
    runs = [a for a in insides.all() if a.entry is entry]
    seeds = [(at, call, HOST_SEEDS[name]) for at in runs for call, name in _called(at) if name in HOST_SEEDS]
    seeds = [(at, call, family) for at, call, family in seeds if _is_fixed(at, call)]
    draws = [(at, call, name) for at in runs for call, name in _called(at) if _draws(name)]
    own = [(at, call, source) for at in runs for call, source in _from_objects(at)]
    return (
        bool(draws or own)
        and all(any(name.startswith(f) and _before(seed, at, call) for *seed, f in seeds) for at, call, name in draws)
        and all(seeded(at, source, call) for at, call, source in own)
    )


def _from_objects(at: Activation) -> Iterator[tuple[Any, Any]]:
    """The draws from generators that are objects, each with its generator."""
    for call in at.function.calls:
        if not at.facts.values.get(call, UNKNOWN).deps & RANDOM:
            continue
        given = [k.value for k in call.keywords if k.arg == "generator"]
        if given:
            yield call, given[0]
        elif isinstance(call.func, nodes.Attribute):
            owner = at.facts.values.get(call.func.expr, UNKNOWN)
            if any(isinstance(ref, Instance) and ref.cls in _CLASSES for ref in owner.each):
                yield call, call.func.expr


def seeded(at: Activation, source: Any, draw: Any) -> bool:
    """True when a run seeds a generator from outside of the region, alike each time, before it draws from it: here or
    in the functions that called up to it.
    """
    place = places.of(at, source)
    where: Activation | None = at
    while place is not None and where is not None:
        for call in where.function.calls:
            func = call.func
            if not isinstance(func, nodes.Attribute) or func.attrname not in SEEDING | RESTORES:
                continue
            given = func.attrname not in RESTORES or places.of(where, call.args[0] if call.args else None) is not None
            if given and _is_fixed(where, call) and places.of(where, func.expr) == place:
                if _before([where, call], at, draw):
                    return True
        where = where.parent
    return False


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
