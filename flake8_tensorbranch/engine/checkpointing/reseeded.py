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
from flake8_tensorbranch.engine.lookup.origins import Expr, position
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.randomness import (
    CLONES,
    HOST_RESTORES,
    HOST_SEEDS,
    HOST_STATES,
    MAKERS,
    RESTORES,
    SEEDING,
    STATE,
    STATES,
)
from flake8_tensorbranch.knowledge.regions import host_source
from flake8_tensorbranch.syntax.binding import once

_CLASSES: Final = frozenset(MAKERS.values())
_SEEDABLE: Final = frozenset(MAKERS) | {"torch.Generator"}
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
        if (name in HOST_SEEDS and _is_fixed(at, call)) or (name in HOST_RESTORES and _is_alike(at, call.args[:1]))
    ]
    draws = [(at, call, name) for at in runs for call, name in _called(at) if _draws(at, call, name)]
    own = [(at, call, source) for at in runs for call, source in _from_objects(at)]
    return (
        bool(draws or own)
        and all(
            any(name.startswith(f) and _before(seed, at, call) for *seed, f in seeds)
            or _is_kept(at, call, partial(_is_host_state, name))
            for at, call, name in draws
        )
        and all(made_alike(at, source, call) for at, call, source in own)
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
        for put, generator, given in _sets(where):
            if places.of(where, generator) == place and _before([where, put], at, draw):
                if _is_alike(where, given, place) if _restores(put) else _is_fixed(where, put):
                    return True
    own = [(a, call) for a in runs for call, made in _from_objects(a) if places.of(a, made) == place]
    return bool(own) and all(_is_kept(a, call, partial(_is_state_of, place)) for a, call in own)


def made_alike(at: Activation, source: Any, draw: Any) -> bool:
    """True for a generator that each run of a region finds, or makes, in the same state before it draws from it."""
    if places.of(at, source) is not None:
        return seeded(at, source, draw)
    made = at.origins.of(at.expr(source))
    return bool(made) and all(isinstance(o.node, nodes.Call) and _makes_alike(at, o, draw) for o in made)


def _makes_alike(at: Activation, made: Expr, draw: Any) -> bool:
    """True for a call that makes a generator from a seed, or from another generator, alike in each run."""
    call: Any = made.node
    if any(at.facts.values.get(a, UNKNOWN).deps & RANDOM for a in call.args):
        return False
    method = call.func.attrname if isinstance(call.func, nodes.Attribute) else ""
    if method == "manual_seed" and call.args:
        return made_alike(at, call.func.expr, draw)
    if method in CLONES:
        return places.of(at, call.func.expr) is not None or made_alike(at, call.func.expr, draw)
    names = at.origins.externals(made)
    return bool(names & _SEEDABLE) and bool(call.args or call.keywords or "torch.Generator" in names)


def _sets(at: Activation) -> Iterator[tuple[Any, Any, list[Any]]]:
    """What a function does to put generators that are objects into a state: the call or assignment, the generator, and
    what is given.
    """
    for call in at.function.calls:
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname in SEEDING | RESTORES:
            yield call, func.expr, call.args[:1]
    store: Any
    for store in at.function.attribute_stores:
        if store.attrname == STATE[1] and isinstance(store.parent, nodes.Assign) and _is_state(store):
            yield store.parent, store.expr.expr, [store.parent.value]


def _is_state(node: Any) -> bool:
    """True for `generator.bit_generator.state`, read or set."""
    return (
        isinstance(node, (nodes.Attribute, nodes.AssignAttr))
        and node.attrname == STATE[1]
        and isinstance(node.expr, nodes.Attribute)
        and node.expr.attrname == STATE[0]
    )


def _restores(put: Any) -> bool:
    return not isinstance(put, nodes.Call) or getattr(put.func, "attrname", "") in RESTORES


def _is_kept(at: Activation | None, draw: Any, is_state: Callable[[Activation, Any, bool], bool]) -> bool:
    """True when the state of a generator is asked before a draw and put back after it: in its function, in one that
    called up to it, or by a context around.
    """
    node = draw
    while at is not None and node is not None:
        for get, put in _pairs(at, is_state):
            known = guards(node)
            if position(get) < position(node) < position(put):
                if all(known.get(t) is o for each in (get, put) for t, o in guards(each).items()):
                    return True
        for child in at.children:
            scope = getattr(child.call, "parent", None)
            if isinstance(scope, nodes.With) and scope.parent_of(node) and not _in_items(scope, node):
                yields = [position(y) for y in child.function.node.nodes_of_class(nodes.Yield)]
                if any(position(g) < y < position(p) for g, p in _pairs(child, is_state) for y in yields):
                    return True
        node, at = at.call, at.parent
    return False


def _pairs(at: Activation, is_state: Callable[[Activation, Any, bool], bool]) -> Iterator[tuple[Any, Any]]:
    """What in a function asks for a generator's state, each with what puts the generator back into it."""
    stores = [s.parent for s in at.function.attribute_stores if s.attrname == STATE[1]]
    for put in (*at.function.calls, *stores):
        given = next(iter(put.args), None) if isinstance(put, nodes.Call) else getattr(put, "value", None)
        if not isinstance(given, nodes.Name) or not is_state(at, put, False):
            continue
        get = once(at.function.local_names, given.name)
        if isinstance(get, (nodes.Call, nodes.Attribute)) and is_state(at, get, True):
            yield get, put


def _is_host_state(draw: str, at: Activation, call: Any, asks: bool) -> bool:
    """True for a call that asks for the state of the generator that a draw of the host uses, or puts it back."""
    known = HOST_STATES if asks else HOST_RESTORES
    return any(name in known and draw.startswith(known[name]) for name in at.facts.externals.get(call, {}))


def _is_state_of(place: Place, at: Activation, call: Any, asks: bool) -> bool:
    """The same, of a generator that is an object."""
    if not isinstance(call, nodes.Call):
        part: Any = call.targets[0] if isinstance(call, nodes.Assign) else call
        return _is_state(part) and places.of(at, part.expr.expr) == place
    func = call.func
    names = STATES if asks else RESTORES
    return isinstance(func, nodes.Attribute) and func.attrname in names and places.of(at, func.expr) == place


def _in_items(scope: nodes.With, node: Any) -> bool:
    return any(manager is node or manager.parent_of(node) for manager, _ in scope.items)


def _is_alike(at: Activation, given: list[Any], place: Place | None = None) -> bool:
    """True for a state that stands outside of the region, or is asked of another generator than the one at `place`:
    each run is given the same.
    """
    if not given:
        return False
    state = given[0]
    if not isinstance(state, nodes.Call) and not _is_state(state):
        return places.of(at, state) is not None
    asks = isinstance(state, nodes.Call) and isinstance(state.func, nodes.Attribute) and state.func.attrname in STATES
    owner = state.func.expr if asks else None if isinstance(state, nodes.Call) else state.expr.expr
    if owner is None:
        return False
    found = places.of(at, owner)
    return found != place if found is not None else made_alike(at, owner, state)


def _called(at: Activation) -> Iterator[tuple[Any, str]]:
    for call, named in at.facts.externals.items():
        if isinstance(call, nodes.Call):
            yield from ((call, name) for name in named)


def _draws(at: Activation, call: Any, name: str) -> bool:
    """True for a draw of the host, and for a generator that is made without a seed."""
    if name in MAKERS:
        return not _is_fixed(at, call)
    return host_source(name) is not None and name not in HOST_SEEDS | HOST_RESTORES | HOST_STATES


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
    return tests.items() <= _TRAINING.items() and position(call) < position(drawn)


def _way(at: Activation | None, node: Any) -> list[tuple[Activation, Any]]:
    """The calls that lead from the beginning of a region to a node, with the activations they stand in."""
    found: list[tuple[Activation, Any]] = []
    while at is not None and node is not None:
        found.insert(0, (at, node))
        node, at = at.call, at.parent
    return found
