"""Values that a recompute does not see again: draws that checkpoint does not replay, clocks, counters."""

from __future__ import annotations

from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.lattice import (
    CONTAINER,
    HOST,
    OBJECT,
    RANDOM,
    REPLAYED,
    UNKNOWN_KIND,
    AbstractValue,
    make,
)
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.randomness import MAKERS, RESEEDS, SETTINGS
from flake8_tensorbranch.knowledge.regions import host_source

_GENERATORS = frozenset(MAKERS.values())


def called(qualname: str) -> AbstractValue | None:
    """What a call outside of the project draws, or makes to draw from; None when it does neither."""
    if qualname in MAKERS:
        return make(OBJECT, refs=frozenset({Instance(MAKERS[qualname])}))
    if qualname in RESEEDS:
        return make(HOST, RANDOM)
    if host_source(qualname) is not None:
        return make(HOST | CONTAINER | UNKNOWN_KIND if qualname.startswith("numpy.") else HOST, RANDOM)
    return None


def method(cls: str, name: str) -> AbstractValue | None:
    """What a method of a generator draws; None for methods that draw nothing, and for other objects."""
    if cls not in _GENERATORS or name in SETTINGS:
        return None
    return make(HOST | CONTAINER | UNKNOWN_KIND if cls.startswith("numpy.") else HOST, RANDOM)


def advanced(value: AbstractValue) -> AbstractValue | None:
    """What `next` gives of a counter; None for anything else."""
    if any(isinstance(r, Instance) and r.cls == "itertools.count" for r in value.refs):
        return make(HOST, RANDOM)
    return None


def settled(value: AbstractValue) -> AbstractValue:
    """A draw that was made before any region ran: in a constructor, at import."""
    if not value.deps & RANDOM:
        return value
    return make(value.kinds, value.deps & ~RANDOM, value.const, value.refs, value.elem, value.items)


def drawn_before(args: Arguments) -> Arguments:
    """The arguments of a region: what was drawn for them was drawn outside, and is an input as any other."""
    if not any(v.deps & REPLAYED for v in args.all()):
        return args
    star = None if args.star is None else _as_input(args.star)
    named = {k: _as_input(v) for k, v in args.keywords.items()}
    return Arguments([_as_input(v) for v in args.positional], star, named, args.double_star)


def _as_input(value: AbstractValue) -> AbstractValue:
    if not value.deps & REPLAYED:
        return value
    return make(value.kinds, value.deps & ~REPLAYED, value.const, value.refs, value.elem, value.items)
