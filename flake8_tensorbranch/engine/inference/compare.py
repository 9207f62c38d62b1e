"""Transfer functions of comparisons: which read a tensor, which ask what two things are, which look for an element."""

from __future__ import annotations

from flake8_tensorbranch.engine.inference.hashed import is_hashed, unread
from flake8_tensorbranch.engine.inference.operators import (
    FLOWING,
    TELLING,
    flag,
    host_deps,
    length_deps,
    mixed,
    tensor_deps,
    vague,
)
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    DATA,
    HOST,
    HOST_VALUE,
    MAPPING,
    MASK,
    NO_CONST,
    NONE,
    OBJECT,
    SETTLED,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    all_deps,
    constant,
    either,
    element,
    make,
    with_deps,
    without,
)


def compare(left: AbstractValue, right: AbstractValue, op: str) -> AbstractValue:
    """`left op right` for one comparison operator."""
    if op in ("is", "is not"):
        if right.kinds == NONE or left.kinds == NONE:
            other = left if right.kinds == NONE else right
            if other.kinds == NONE:
                return constant(op == "is")
            if other.kinds and not other.kinds & (NONE | UNKNOWN_KIND):
                return constant(op == "is not")
        for one, other in ((left, right), (right, left)):
            if isinstance(one.const, bool) and other.kinds & HOST and other.deps & DATA:
                return flag(other.deps & ~MASK)
        return HOST_VALUE
    if op in ("in", "not in"):
        return _membership(left, right)
    if NONE in (left.kinds, right.kinds) and not (left.kinds | right.kinds) & ARRAY:
        return HOST_VALUE  # nothing is read: an array alone compares its elements with None
    if not (left.kinds | right.kinds) & ~(HOST | NONE):
        return _host_compare(left, right, op)
    if (left.kinds | right.kinds) & TENSOR:
        other = right if left.kinds & TENSOR else left
        if (vague(left) and not right.kinds & TENSOR) or (vague(right) and not left.kinds & TENSOR):
            return UNKNOWN
        if isinstance(other.const, str):
            return HOST_VALUE
        if op in ("==", "!=") and other.must(CONTAINER | MAPPING):
            return HOST_VALUE  # `tensor == []` asks whether they are one object
        if (left if other is right else right).kinds & ~(TENSOR | NONE) & UNKNOWN_KIND and op in ("==", "!="):
            return make(TENSOR | UNKNOWN_KIND, tensor_deps(left, right))
        return _mask(mixed(left, right, tensor_deps(left, right)))
    if (left.kinds | right.kinds) & ARRAY:
        if vague(left) or vague(right):
            return UNKNOWN
        return make(ARRAY, host_deps(left, right))
    if (left.kinds | right.kinds) & (CONTAINER | MAPPING):
        if any(isinstance(v.const, str) and v.kinds == HOST for v in (left, right)):
            return HOST_VALUE
        if left.items == () or right.items == ():  # an empty list: only whether the other is empty, too
            return flag(length_deps(left) | length_deps(right))
        if vague(element(left)) or vague(element(right)):
            return UNKNOWN
        return flag(host_deps(unread(left), unread(right)) if is_hashed(left) else host_deps(left, right))
    deps = host_deps(left, right) if (left.kinds | right.kinds) & HOST else 0
    if deps & TELLING:
        return flag(deps)
    if isinstance(left.const, str) or isinstance(right.const, str) or (left.kinds | right.kinds) & (NONE | CALLABLE):
        return HOST_VALUE
    return UNKNOWN


def _mask(value: AbstractValue) -> AbstractValue:
    return with_deps(value, MASK) if value.kinds & TENSOR else value


def _host_compare(left: AbstractValue, right: AbstractValue, op: str) -> AbstractValue:
    deps = left.deps | right.deps
    deps = (either(left.deps, right.deps) if deps & SETTLED else deps) & ~MASK
    if isinstance(left.const, str) or isinstance(right.const, str):
        deps &= ~DATA  # what is compared with a name is one: no number that was read
    known = not deps and left.const is not NO_CONST and right.const is not NO_CONST
    if known and op in ("==", "!=") and type(left.const) is type(right.const):
        return constant((left.const == right.const) is (op == "=="))
    return flag(deps)


def _membership(left: AbstractValue, right: AbstractValue) -> AbstractValue:
    if isinstance(left.const, str):
        return make(HOST, right.deps & ~(DATA | MASK))  # a key: what is looked into is no tensor
    if right.kinds & MAPPING and left.must(HOST | CONTAINER):
        return flag((right.deps | all_deps(unread(left))) & DATA)  # a key
    if right.kinds & TENSOR:
        return make(HOST, tensor_deps(left, right) | DATA)
    deps = left.deps & ~MASK
    if left.kinds & CONTAINER:
        deps |= all_deps(unread(left)) & DATA
    if right.kinds & CONTAINER:
        inner = element(right)
        if right.items and all(isinstance(v.const, str) for _, v in right.items):
            return HOST_VALUE  # names: a tensor is equal to none of them, unread
        if is_hashed(right):
            left, inner = without(left, TENSOR), without(inner, TENSOR)
            if not (left.kinds and inner.kinds):
                return flag(deps & FLOWING)
            deps = left.deps & ~MASK
        compared = left.kinds & TENSOR and not left.kinds & (OBJECT | CALLABLE)  # objects are told apart, not read
        if compared or (inner.must(TENSOR) and (left.deps & DATA or type(left.const) in (int, float))):
            deps |= DATA
        # A name looked up among tensors is a key far more often than a number compared with each of them.
        deps = either(deps, right.deps | (all_deps(inner) if not inner.kinds & TENSOR else 0))
    elif right.must(HOST):
        deps |= right.deps & DATA  # a list in what `tolist()` gave
    elif left.kinds & TENSOR:
        deps = left.deps & FLOWING
    if not deps and not (left.kinds | right.kinds) & ~UNKNOWN_KIND:
        return UNKNOWN
    return flag(deps & ~MASK)
