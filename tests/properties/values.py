"""A strategy for abstract values of every kind and dependence: equal constants, many references, structure."""

from __future__ import annotations

from hypothesis import strategies as st

from flake8_tensorbranch.engine import lattice
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    HOST,
    HOST_SHAPE,
    MAX_ITEMS,
    MAX_REFS,
    NO_CONST,
    NONE,
    NONE_VALUE,
    TENSOR_VALUE,
    UNKNOWN,
    AbstractValue,
    constant,
    make,
)
from flake8_tensorbranch.engine.refs import Instance, Method, Wrapped
from flake8_tensorbranch.engine.words import DEP_NAMES, KIND_NAMES

CONSTANTS = (None, True, False, 0, 1, 1.0, 0.0, -1, "x", "", b"x", slice)
KEYS = (0, 1, 2, "a", "b", True, 1.0)
REFS = (
    "torch.relu",
    "torch.nn.Linear",
    "numpy.array",
    Instance("torch.nn.Linear"),
    Instance("torch.nn.ReLU"),
    Method(TENSOR_VALUE, "sum"),
    Wrapped("torch.compile", UNKNOWN),
    "a.b",
    "c.d",
    lattice.MANY,
)

COMMON = (BOTTOM, UNKNOWN, TENSOR_VALUE, NONE_VALUE, HOST_SHAPE, constant(1), constant(True), constant(1.0), make(HOST))


def bits(names: dict[int, str], least: int = 0) -> st.SearchStrategy[int]:
    """A few of the bits that have names."""
    return st.lists(st.sampled_from(sorted(names)), min_size=least, max_size=4).map(lambda found: sum(set(found)))


def references() -> st.SearchStrategy[frozenset[object]]:
    """No reference mostly, sometimes more than are kept."""
    return st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(REFS), max_size=MAX_REFS + 2))


@st.composite
def values(draw: st.DrawFn, depth: int = 2) -> AbstractValue:
    """Any abstract value that `make` may be asked for with at most `depth` levels inside."""
    if draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(COMMON))
    kinds, deps = draw(bits(KIND_NAMES, least=1)), draw(bits(DEP_NAMES))
    const: object = NO_CONST
    if draw(st.integers(0, 2)) == 0:
        # Only what is a plain value, or None, on every path can be a constant.
        const = draw(st.sampled_from(CONSTANTS))
        kinds = NONE if const is None else HOST
    refs = draw(references())
    elem: AbstractValue | None = None
    items: lattice.Items | None = None
    if depth and draw(st.booleans()):
        inner = values(depth - 1)
        shape = draw(st.integers(0, 3))
        if shape == 1:
            elem = draw(inner)
        elif shape == 2:
            found = draw(st.lists(inner, max_size=3))
            items = tuple(enumerate(found))
        elif shape == 3:
            keys = draw(st.lists(st.sampled_from(KEYS), unique_by=lambda key: (type(key), key), max_size=3))
            items = tuple([(key, draw(inner)) for key in keys])
        if items is not None:
            # What is known of any element is above every one by key.
            elem = lattice.join_all((value for _, value in items), draw(inner) if draw(st.booleans()) else BOTTOM)
            elem = elem if items else None
    return make(kinds, deps, const, refs, elem, items)


def long_tuples() -> st.SearchStrategy[AbstractValue]:
    """Tuples around the most elements that are told apart."""
    return st.lists(st.sampled_from(COMMON), min_size=MAX_ITEMS - 1, max_size=MAX_ITEMS + 2).map(lattice.sequence)


def deep(draw_from: st.SearchStrategy[AbstractValue]) -> st.SearchStrategy[AbstractValue]:
    """Lists in lists around the deepest that is kept."""
    return st.tuples(draw_from, st.integers(lattice.MAX_DEPTH - 2, lattice.MAX_DEPTH + 2)).map(
        lambda found: _nested(found[0], found[1])
    )


def _nested(value: AbstractValue, depth: int) -> AbstractValue:
    for _ in range(depth):
        value = lattice.sequence([value])
    return value


def any_value() -> st.SearchStrategy[AbstractValue]:
    """Any of the above."""
    return st.one_of(values(), values(), values(1), long_tuples(), deep(values(1)))
