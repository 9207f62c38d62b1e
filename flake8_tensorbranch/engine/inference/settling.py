"""Numbers and flags that objects keep: which of them were read from a tensor when their object was made."""

from __future__ import annotations

from typing import Final

from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    CONTAINER,
    DATA,
    MAPPING,
    MASK,
    SETTLED,
    TENSOR,
    AbstractValue,
    all_deps,
    make,
)
from flake8_tensorbranch.syntax.names import FunctionInfo

_CONSTRUCTORS: Final = frozenset({"__init__", "__post_init__", "__new__"})


def settled_flag(value: AbstractValue) -> AbstractValue:
    """A flag that one function leaves for others is plain state by the time they read it."""
    if value.deps & DATA and value.deps & MASK and not value.kinds & (TENSOR | ARRAY):
        return make(value.kinds, value.deps & ~(DATA | MASK), value.const, value.refs, value.elem, value.items)
    return value


def settled(value: AbstractValue) -> AbstractValue:
    """What constructors leave on an object: the numbers in it that were read from tensors were read back then."""
    if value.kinds & (TENSOR | ARRAY) or not all_deps(value) & DATA:
        return value
    elem, items = value.elem, value.items
    if value.kinds & (CONTAINER | MAPPING):
        elem = None if elem is None else settled(elem)
        items = None if items is None else tuple((k, settled(v)) for k, v in items)
    deps = value.deps | SETTLED if value.deps & DATA else value.deps
    return make(value.kinds, deps, value.const, value.refs, elem, items)


def constructs(writer: FunctionInfo) -> bool:
    """True for a constructor, and for a method that its file calls in constructors of its class alone."""
    if writer.name in _CONSTRUCTORS:
        return True
    if writer.cls is None or writer.name == "forward" or not writer.name.startswith("_"):
        return False
    callers = [caller for caller, _ in writer.module.calls_of(writer.name)]
    return bool(callers) and all(
        caller is not None and caller.cls is writer.cls and caller.name in _CONSTRUCTORS for caller in callers
    )
