"""Transfer functions of Python's operators on abstract values: arithmetic, subscript, iteration, truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flake8_tensorbranch.engine.inference import mappings
from flake8_tensorbranch.engine.inference.hashed import hashed, is_hashed
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    BOTTOM,
    CALLABLE,
    CONTAINER,
    DATA,
    FIRST_UNBACKED,
    HOST,
    HOST_SHAPE,
    MAPPING,
    MASK,
    NAMESPACE,
    NO_CONST,
    NONDET,
    NONE,
    OBJECT,
    RANDOM,
    REPLAYED,
    REST,
    SETTLED,
    SHAPE,
    SUPPOSED,
    SYNCED,
    TENSOR,
    UNBACKED,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    all_deps,
    constant,
    container,
    either,
    element,
    join,
    join_all,
    make,
    with_deps,
    without,
)

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.frame import Frame

FLOWING: Final = NONDET | RANDOM | SUPPOSED  # dependences that any computation hands on
TELLING: Final = DATA | SHAPE | RANDOM | UNBACKED
_LASTING: Final = (
    SYNCED | REPLAYED | SETTLED
)  # what holds for a result where it holds for every operand that carries data


def tensor(deps: int = 0) -> AbstractValue:
    """A tensor; DATA in `deps` says that its size depends on values."""
    return make(TENSOR, deps & ~SHAPE)


def tensor_deps(*operands: AbstractValue) -> int:
    """The dependences of a tensor computed elementwise from the operands."""
    deps = 0
    both = -1
    for value in operands:
        deps |= value.deps & FLOWING
        if value.kinds & TENSOR:
            deps |= value.deps & DATA
            both &= value.deps
        elif value.deps & DATA:
            both &= value.deps
    # One operand that is a tensor for sure makes the result one.
    return deps & ~(SUPPOSED & ~both) | both & _LASTING if both != -1 else deps


def host_deps(*operands: AbstractValue) -> int:
    """The dependences of a plain number computed from the operands; synced where all that carry data are."""
    deps = 0
    both = -1
    for value in operands:
        own = all_deps(value) & ~MASK
        deps |= own & ~_LASTING
        if own & DATA:
            both &= own
    return deps | (both & _LASTING if deps & DATA else 0)


def truth_deps(value: AbstractValue) -> int:
    """What `bool(value)` depends on."""
    deps = value.deps & ~MASK
    if value.kinds & TENSOR:
        return deps & ~SHAPE | DATA
    if value.must(MAPPING):
        return deps & ~DATA  # which keys there are, not whether there are any
    if value.kinds & (HOST | ARRAY | CONTAINER | MAPPING):
        return deps
    return deps & FLOWING


def length_deps(value: AbstractValue) -> int:
    """What the number of elements depends on."""
    if value.kinds & TENSOR:
        return value.deps & FLOWING | (UNBACKED | SHAPE if value.deps & DATA else SHAPE)
    if value.kinds & ARRAY:
        return 0  # the dependences of an array are those of its values
    if value.must(MAPPING):
        return value.deps & ~(MASK | _LASTING | DATA)
    if value.kinds & (CONTAINER | MAPPING):
        if value.kinds & HOST:
            return value.deps & ~(MASK | _LASTING | DATA)  # read for the number that it may be instead
        return value.deps & ~(MASK | SYNCED | REPLAYED)
    return 0


def distinct_deps(value: AbstractValue) -> int:
    """What the number of different elements depends on, where each is `value`: which they are."""
    return UNBACKED if value.deps & DATA else value.deps & SHAPE


def falsy(value: AbstractValue) -> AbstractValue:
    """The part of a value that can be false: modules, functions and objects mostly cannot."""
    if value.must(OBJECT | CALLABLE | NAMESPACE):
        return BOTTOM
    return value


def flag(deps: int) -> AbstractValue:
    """A Python bool; one that depends on values is marked as such."""
    return make(HOST, deps | MASK if deps & DATA else deps)


def binary(left: AbstractValue, right: AbstractValue, op: str) -> AbstractValue:
    """`left op right`."""
    if not (left.kinds | right.kinds) & ~(HOST | NONE):
        deps = left.deps | right.deps
        return make(HOST, (either(left.deps, right.deps) if deps & SETTLED else deps) & ~MASK)
    if (left.kinds | right.kinds) & TENSOR:
        mask = left.deps & right.deps & MASK if op in ("&", "|", "^") else 0
        return mixed(left, right, tensor_deps(left, right) | mask)
    if (left.kinds | right.kinds) & ARRAY:
        return make(ARRAY, host_deps(left, right))
    if left.kinds & CONTAINER:
        if op == "+" and right.kinds & CONTAINER:
            if left.items is not None and right.items is not None:
                values = [v for _, v in left.items] + [v for _, v in right.items]
                return make(CONTAINER, left.deps | right.deps, elem=join_all(values), items=tuple(enumerate(values)))
            return container(join(element(left), element(right)), left.deps | right.deps)
        if op == "*":
            return container(element(left), left.deps | right.deps)
        if op in ("-", "&", "|", "^") and right.kinds & CONTAINER:
            held = join(element(left), element(right)) if op in ("|", "^") else element(left)
            told = without(element(left), TENSOR) if is_hashed(left) else element(left)
            deps = left.deps | right.deps | (UNBACKED if all_deps(told) & DATA else 0)
            return hashed(held, deps) if is_hashed(left) else container(held, deps)
        if op == "+":
            return container(join(element(left), UNKNOWN), left.deps)
    if op == "*" and right.kinds & CONTAINER:
        return container(element(right), left.deps | right.deps)
    if (left.kinds | right.kinds) & MAPPING and op == "|":
        return mappings.merged(left, right)
    deps = host_deps(left, right) if (left.kinds | right.kinds) & HOST else 0
    if deps & TELLING:
        return make(HOST, deps)
    return UNKNOWN


_SHAPES_OF_VALUE: Final = TENSOR | HOST | CONTAINER | ARRAY | MAPPING | OBJECT


def vague(value: AbstractValue) -> bool:
    """True for a value of three or more sorts (a number, a list or a tensor): what helpers that take anything hand
    on.
    """
    return (value.kinds & _SHAPES_OF_VALUE).bit_count() > 2


def told(value: AbstractValue) -> AbstractValue:
    """`value` as a verdict may use it: UNKNOWN where it may be an object as well as a tensor and a number."""
    return UNKNOWN if value.kinds & OBJECT and vague(value) else value


def mixed(left: AbstractValue, right: AbstractValue, deps: int) -> AbstractValue:
    """The result of an operator one of whose operands may be a tensor; other outcomes stay possible where neither must
    be.
    """
    kinds = TENSOR
    a, b = left.kinds & ~NONE, right.kinds & ~NONE
    if a != TENSOR and b != TENSOR:
        if a & UNKNOWN_KIND or b & UNKNOWN_KIND:
            kinds |= UNKNOWN_KIND
        if a & HOST and b & HOST:
            kinds |= HOST
    return make(kinds, deps)


def unary(value: AbstractValue, op: str) -> AbstractValue:
    """`op value`."""
    if op == "not":
        if (
            value.const is not NO_CONST
            and value.kinds in (HOST, NONE)
            and isinstance(value.const, (bool, int, type(None)))
        ):
            return constant(not value.const)
        return flag(truth_deps(value))
    if value.kinds & TENSOR:
        deps = value.deps if op == "~" else value.deps & ~MASK
        return make(value.kinds & (TENSOR | HOST | UNKNOWN_KIND), deps)
    if value.must(HOST):
        if op == "-" and isinstance(value.const, (int, float)):
            return make(HOST, value.deps, const=-value.const)
        return make(HOST, value.deps)
    if value.kinds & ARRAY:
        return make(value.kinds & (HOST | ARRAY | UNKNOWN_KIND), value.deps)
    if value.kinds & HOST and value.deps & TELLING and not value.kinds & ARRAY:
        return make(HOST, value.deps)  # a number read from a tensor, where it may be something unknown, too
    return UNKNOWN


def iterate(value: AbstractValue) -> AbstractValue:
    """What `for` gets from a value."""
    result = BOTTOM
    if value.kinds & TENSOR:
        result = tensor(value.deps & (FLOWING | _LASTING | MASK))
    if value.kinds & CONTAINER:
        inner = element(value)
        result = join(result, inner if inner.kinds else UNKNOWN)
    if value.kinds & MAPPING:
        result = join(result, mappings.keys(value))
    if value.kinds & ARRAY:
        result = join(result, make(ARRAY, value.deps))
    if value.kinds & HOST:
        result = join(result, make(HOST, value.deps))
    if not result.kinds or value.kinds & UNKNOWN_KIND:
        result = join(result, UNKNOWN)
    return result


def _index_is_mask(index: AbstractValue) -> bool:
    """True for an index that leaves as many elements as values say: a mask, positions found by one, a read slice."""
    if index.kinds & TENSOR:
        return bool(index.deps & (MASK | DATA))
    if index.kinds & HOST:
        return index.const is slice and bool(index.deps & DATA)
    if index.items is not None:
        return any(_index_is_mask(v) for _, v in index.items)
    return False


def subscript(value: AbstractValue, index: AbstractValue, frame: Frame | None = None) -> AbstractValue:
    """`value[index]`."""
    result = BOTTOM
    if isinstance(index.const, str):
        value = without(value, TENSOR) if value.kinds & ~TENSOR else value  # no tensor has keys
    if value.kinds & TENSOR:
        deps = value.deps & (FLOWING | _LASTING | MASK | DATA)
        if _index_is_mask(index):
            deps |= DATA
        elif index.kinds & HOST and index.const is not slice:
            deps &= ~DATA  # a row of a data-sized tensor need not be data-sized
        result = tensor(deps)
    if value.kinds & (CONTAINER | MAPPING):
        result = join(result, _pick(value, index))
    if value.kinds & HOST:
        result = join(result, make(HOST, either(value.deps, index.deps & ~MASK)))
    if value.kinds & ARRAY:
        result = join(result, make(ARRAY, value.deps | index.deps & DATA))
    if value.kinds & OBJECT and not value.kinds & CONTAINER:
        result = join(result, _object_item(value, index, frame))
    if not result.kinds or value.kinds & UNKNOWN_KIND:
        result = join(result, UNKNOWN)
    return result


_CONSTANTS: Final = frozenset({bool, float, int, str})


def _pick(value: AbstractValue, index: AbstractValue) -> AbstractValue:
    if value.const == FIRST_UNBACKED and type(index.const) is int and index.const != 0:
        return HOST_SHAPE
    if index.const is slice:
        return make(CONTAINER, value.deps | index.deps & (DATA | SHAPE), elem=value.elem)
    if value.items is not None and index.const is not NO_CONST and index.kinds == HOST:
        key = index.const
        if isinstance(key, int) and key < 0 and value.kinds & CONTAINER:
            key += len(value.items)
        for known, inner in value.items:
            if known == key and type(known) is type(key):
                return inner
            if known == REST and value.kinds & MAPPING:
                return UNKNOWN if inner.kinds & UNKNOWN_KIND or not inner.kinds else inner
    inner = element(value)
    if not inner.kinds or (value.kinds & MAPPING and inner.kinds & UNKNOWN_KIND):
        return UNKNOWN  # one key of many: what others hold is no evidence
    if index.deps & DATA and index.kinds == HOST:
        inner = picked(value, index, inner)
    if index.kinds == TENSOR and value.kinds == CONTAINER and not inner.kinds & ~(HOST | CONTAINER):
        return with_deps(inner, DATA)  # which of the numbers or lists
    return inner


def picked(value: AbstractValue, key: AbstractValue, inner: AbstractValue) -> AbstractValue:
    """`inner` of a container, of whose constants a key read from a tensor says which."""
    if key.kinds == HOST and value.items and all(type(v.const) in _CONSTANTS for _, v in value.items):
        return with_deps(inner, key.deps & (DATA | SETTLED))
    return inner


def _object_item(value: AbstractValue, index: AbstractValue, frame: Frame | None) -> AbstractValue:
    if value.items is not None and index.const is not NO_CONST:
        if isinstance(index.const, int) and 0 <= index.const < len(value.items):
            return value.items[index.const][1]
        for known, inner in value.items:
            if known == index.const:
                return inner
    if frame is None:
        return UNKNOWN
    if value.items is None:
        filled = frame.analysis.classes.filled(value)
        if filled is not value:
            return _object_item(filled, index, None)
    if isinstance(index.const, str):
        field = frame.analysis.classes.field(value, index.const)
        if field.known:
            return field
    return frame.analysis.special(frame, value, "__getitem__", [index])
