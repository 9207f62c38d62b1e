"""Sets and keys: containers that tell elements apart by their hash, which of a tensor is its identity: nothing is read.

`Tensor.__hash__` is `id(self)` (torch/_tensor.py), and what is identical is never compared. The constant of such a
container is the type `set`.
"""

from __future__ import annotations

from flake8_tensorbranch.engine.lattice import CONTAINER, TENSOR, AbstractValue, element, make, without


def hashed(held: AbstractValue, deps: int = 0) -> AbstractValue:
    """A set of unknown length whose elements are `held`; `deps` are the length's."""
    return make(CONTAINER, deps, const=set, elem=held)


def is_hashed(value: AbstractValue) -> bool:
    """True for a set, or the keys of a mapping."""
    return value.kinds == CONTAINER and value.const is set


def unread(value: AbstractValue) -> AbstractValue:
    """What looking for the elements of a container in a set may read: all but tensors."""
    if not value.kinds & CONTAINER:
        return value
    return make(value.kinds, value.deps, value.const, value.refs, without(element(value), TENSOR))
