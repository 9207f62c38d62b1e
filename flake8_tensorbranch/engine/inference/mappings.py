"""Mappings: what is held under known keys, what else, and what the keys depend on."""

from __future__ import annotations

from typing import Final

from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    DATA,
    HOST,
    HOST_VALUE,
    MAPPING,
    REST,
    TENSOR,
    UNBACKED,
    UNKNOWN,
    AbstractValue,
    Key,
    all_deps,
    element,
    join,
    make,
    opened,
)

_KEYS: Final = DATA | UNBACKED


def entries(value: AbstractValue) -> tuple[dict[Key, AbstractValue], AbstractValue]:
    """What a value unpacked with `**` holds by name, and what else."""
    if value.kinds == MAPPING and value.items is not None:
        named = dict(value.items)
        return named, named.pop(REST, BOTTOM)
    held = element(value) if value.kinds & MAPPING else UNKNOWN
    return {}, held if held.kinds else UNKNOWN


def merged(left: AbstractValue, right: AbstractValue) -> AbstractValue:
    """A mapping updated with another."""
    (items, rest), (added, others) = entries(left), entries(right)
    return opened({**items, **added}, join(rest, others), (left.deps | right.deps) & _KEYS)


def rest(unpacked: AbstractValue | None) -> AbstractValue:
    """What an unpacked mapping of unknown keys holds; BOTTOM where nothing was unpacked."""
    return BOTTOM if unpacked is None else entries(unpacked)[1]


def key_deps(key: AbstractValue) -> int:
    """What a mapping's keys depend on where `key` is one of them."""
    return DATA if not key.kinds & TENSOR and all_deps(key) & DATA else 0


def keys(value: AbstractValue) -> AbstractValue:
    """A key of a mapping; the mapping's own dependence on values is that of its keys."""
    return make(HOST, value.deps & DATA) if value.deps & DATA else HOST_VALUE
