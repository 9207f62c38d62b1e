"""Regions that seed generators themselves before they draw from them: their recompute draws the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import places
from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.checkpointing.places import Place
from flake8_tensorbranch.engine.lattice import RANDOM, UNKNOWN
from flake8_tensorbranch.engine.lookup.guards import guards
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.randomness import (
    HOST_RESTORES,
    HOST_SEEDS,
    HOST_STATES,
    MAKERS,
    RESTORES,
    SEEDING,
    STATES,
)
from flake8_tensorbranch.knowledge.regions import host_source
from flake8_tensorbranch.syntax.binding import assigned

_CLASSES: Final = frozenset(MAKERS.values())
_TRAINING: Final = {"self.training": True}  # what holds wherever a region is recomputed


def repeats(insides: Insides, entry: object) -> bool:
    """True when every draw that a region makes, and its recompute makes anew, comes after a call that seeds its
    generator alike.
    """
    runs = [a for a in insides.all() if a.entry is entry]
    seeds = [
        (at, call, (HOST_SEEDS | HOST_RESTORES)[name])
        for at in runs
        for call, name in _called(at)
        if (name in HOST_SEEDS and _is_fixed(at, call)) or (name in HOST_RESTORES and _is_from_outside(at, call))
    ]
    draws = [(at, call, name) for at in runs for call, name in _called(at) if _draws(name)]
    own = [(at, call, source) for at in runs for call, source in _from_objects(at)]
    return (
        bool(draws or own)
        and all(
            any(name.startswith(f) and _before(seed, at, call) for *seed, f in seeds)
            or _is_kept(at, call, partial(_is_host_state, name))
            for at, call, name in draws
        )
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
    """True when a run seeds a generator from outside of the region, alike each time, before it draws from it: here, in
    the functions that called up to it, or in those that these called before; or puts it back into its state.
    """
    place, top = places.of(at, source), at
    if place is None:
        return False
    while top.parent is not None:
        top = top.parent
    runs = list(top.run())
    for where in runs:
        for call in where.function.calls:
            func = call.func
            if not isinstance(func, nodes.Attribute) or func.attrname not in SEEDING | RESTORES:
                continue
            given = func.attrname not in RESTORES or _is_from_outside(where, call)
            if given and _is_fixed(where, call) and places.of(where, func.expr) == place:
                if _before([where, call], at, draw):
                    return True
    own = ((a, call) for a in runs for call, made in _from_objects(a) if places.of(a, made) == place)
    return all(_is_kept(a, call, partial(_is_state_of, place)) for a, call in own)


def _is_kept(at: Activation | None, draw: Any, is_state: Callable[[Activation, Any, bool], bool]) -> bool:
    """True when the state of a generator is asked before a draw and put back after it: in its function, in one that
    called up to it, or by a context around.
    """
    node = draw
    while at is not None and node is not None:
        for get, put in _pairs(at, is_state):
            known = guards(node)
            if _position(get) < _position(node) < _position(put):
                if all(known.get(t) is o for each in (get, put) for t, o in guards(each).items()):
                    return True
        for child in at.children:
            scope = getattr(child.call, "parent", None)
            if isinstance(scope, nodes.With) and scope.parent_of(node) and not _in_items(scope, node):
                yields = [_position(y) for y in child.function.node.nodes_of_class(nodes.Yield)]
                if any(_position(g) < y < _position(p) for g, p in _pairs(child, is_state) for y in yields):
                    return True
        node, at = at.call, at.parent
    return False


def _pairs(at: Activation, is_state: Callable[[Activation, Any, bool], bool]) -> Iterator[tuple[Any, Any]]:
    """The calls of a function that ask for a generator's state, each with one that puts the generator back into it."""
    for put in at.function.calls:
        given = put.args[0] if put.args else None
        if not isinstance(given, nodes.Name) or not is_state(at, put, False):
            continue
        bound: Any = at.function.local_names.get(given.name, ())
        get = assigned(bound[0]) if len(bound) == 1 else None
        if isinstance(get, nodes.Call) and is_state(at, get, True):
            yield get, put


def _is_host_state(draw: str, at: Activation, call: Any, asks: bool) -> bool:
    """True for a call that asks for the state of the generator that a draw of the host uses, or puts it back."""
    known = HOST_STATES if asks else HOST_RESTORES
    return any(name in known and draw.startswith(known[name]) for name in at.facts.externals.get(call, {}))


def _is_state_of(place: Place, at: Activation, call: Any, asks: bool) -> bool:
    """The same, of a generator that is an object."""
    func = call.func
    names = STATES if asks else RESTORES
    return isinstance(func, nodes.Attribute) and func.attrname in names and places.of(at, func.expr) == place


def _in_items(scope: nodes.With, node: Any) -> bool:
    return any(manager is node or manager.parent_of(node) for manager, _ in scope.items)


def _is_from_outside(at: Activation, call: Any) -> bool:
    """True for a state that stands outside of the region: each run is given the same."""
    return bool(call.args) and places.of(at, call.args[0]) is not None


def _position(node: Any) -> tuple[int, int]:
    return int(node.lineno or 0), int(node.col_offset or 0)


def _called(at: Activation) -> Iterator[tuple[Any, str]]:
    for call, named in at.facts.externals.items():
        if isinstance(call, nodes.Call):
            yield from ((call, name) for name in named)


def _draws(name: str) -> bool:
    return name in MAKERS or (host_source(name) is not None and name not in HOST_SEEDS | HOST_RESTORES | HOST_STATES)


def _is_fixed(at: Activation, call: Any) -> bool:
    """True for a seed that is given, and not drawn."""
    return bool(call.args) and not any(at.facts.values.get(a, UNKNOWN).deps & RANDOM for a in call.args)


def _before(seed: list[Any], at: Activation, node: Any) -> bool:
    """True when a run comes to the call that seeds before it comes to a draw, whichever functions hold the two."""
    ways = [_way(*seed), _way(at, node)]
    shared = 0
    while shared < min(map(len, ways)) and ways[0][shared][0] is ways[1][shared][0]:
        shared += 1
    if not shared:
        return False
    (_, call), (_, drawn) = ways[0][shared - 1], ways[1][shared - 1]
    tests = {t: o for t, o in guards(call).items() if guards(drawn).get(t) is not o}
    for _, later in ways[0][shared:]:
        tests.update(guards(later))
    return tests.items() <= _TRAINING.items() and _position(call) < _position(drawn)


def _way(at: Activation | None, node: Any) -> list[tuple[Activation, Any]]:
    """The calls that lead from the beginning of a region to a node, with the activations they stand in."""
    found: list[tuple[Activation, Any]] = []
    while at is not None and node is not None:
        found.insert(0, (at, node))
        node, at = at.call, at.parent
    return found
