"""The laws of the lattice of abstract values."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from flake8_tensorbranch.engine import lattice
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    CONTAINER,
    DATA,
    HOST,
    MAX_DEPTH,
    MAX_ITEMS,
    MAX_REFS,
    NO_CONST,
    ON_EVERY_PATH,
    SETTLED,
    TENSOR,
    TENSOR_VALUE,
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
    leq,
    make,
    only,
    sequence,
    with_deps,
    without,
)
from flake8_tensorbranch.engine.words import DEP_NAMES, KIND_NAMES, describe
from tests.properties.values import any_value, bits, values

ALL_KINDS = sum(KIND_NAMES)
# No chain climbs more often than this in one component; the components of a value's elements climb on their own.
LONGEST_CHAIN = 200

LISTS = (
    container(TENSOR_VALUE),
    sequence([TENSOR_VALUE]),
    sequence([constant(1), TENSOR_VALUE]),
    make(CONTAINER, items=(("a", TENSOR_VALUE),), elem=TENSOR_VALUE),
    make(CONTAINER, items=()),
    make(CONTAINER),
    constant(1),
    TENSOR_VALUE,
    UNKNOWN,
    make(TENSOR | CONTAINER, elem=UNKNOWN),
)


@given(any_value(), any_value())
def test_join_is_commutative(a: AbstractValue, b: AbstractValue) -> None:
    assert join(a, b) == join(b, a)


@given(any_value(), any_value(), any_value())
@settings(max_examples=200)
def test_join_is_associative(a: AbstractValue, b: AbstractValue, c: AbstractValue) -> None:
    assert join(join(a, b), c) == join(a, join(b, c))


def test_join_is_associative_over_containers() -> None:
    for a in LISTS:
        for b in LISTS:
            for c in LISTS:
                assert join(join(a, b), c) == join(a, join(b, c)), (a, b, c)


@given(any_value())
def test_join_is_idempotent_and_bottom_is_its_identity(a: AbstractValue) -> None:
    assert join(a, a) == a
    assert join(a, BOTTOM) == a
    assert join(BOTTOM, a) == a
    assert leq(BOTTOM, a)


@given(any_value(), any_value())
def test_join_is_an_upper_bound(a: AbstractValue, b: AbstractValue) -> None:
    both = join(a, b)
    assert leq(a, both)
    assert leq(b, both)


@given(any_value(), any_value(), any_value())
def test_join_is_the_least_upper_bound(a: AbstractValue, b: AbstractValue, c: AbstractValue) -> None:
    above = join(join(a, b), c)
    assert leq(join(a, b), above)
    assert leq(join(a, c), above)
    assert leq(join(a, c), join(above, c))


@given(any_value(), any_value(), any_value())
def test_leq_is_a_partial_order(a: AbstractValue, b: AbstractValue, c: AbstractValue) -> None:
    assert leq(a, a)
    if leq(a, b) and leq(b, a):
        assert a == b
    for low, middle, high in ((a, join(a, b), join(join(a, b), c)), (a, b, c)):
        if leq(low, middle) and leq(middle, high):
            assert leq(low, high)


@given(any_value(), any_value())
def test_leq_compares_the_components(a: AbstractValue, b: AbstractValue) -> None:
    both = join(a, b)
    assert a.kinds & ~both.kinds == 0
    assert a.deps & ~ON_EVERY_PATH & ~both.deps == 0
    if a.kinds and b.kinds:
        assert both.deps & ON_EVERY_PATH & ~(a.deps & b.deps) == 0  # what must hold on every path holds on both
        assert both.const is NO_CONST or (type(both.const) is type(a.const) and both.const == a.const)
    assert leq(element(a), element(both)) or not both.kinds & CONTAINER


@given(any_value())
def test_what_is_unknown_stays_unknown(a: AbstractValue) -> None:
    both = join(a, UNKNOWN)
    assert both.kinds & UNKNOWN_KIND
    assert both.const is NO_CONST
    assert join(both, UNKNOWN) == both
    assert not both.must(ALL_KINDS & ~UNKNOWN_KIND)


def test_constants_that_python_takes_for_equal_are_told_apart() -> None:
    one, true, real = constant(1), constant(True), constant(1.0)
    assert len({one, true, real}) == 3
    assert join(one, true).const is NO_CONST
    assert join(one, real).const is NO_CONST


@given(bits(DEP_NAMES), bits(DEP_NAMES))
def test_what_depends_on_both_is_settled_where_all_that_was_read_is(a: int, b: int) -> None:
    both = either(a, b)
    assert both | SETTLED == a | b | SETTLED
    assert bool(both & SETTLED) == (bool((a | b) & SETTLED) and all(d & SETTLED for d in (a, b) if d & DATA))


@given(any_value(), bits(DEP_NAMES), bits(DEP_NAMES))
def test_with_deps(a: AbstractValue, one: int, two: int) -> None:
    more = with_deps(a, one)
    assert more.deps == a.deps | one
    assert (more.kinds, more.const, more.refs, more.elem, more.items) == (a.kinds, a.const, a.refs, a.elem, a.items)
    assert with_deps(more, one) is more
    assert with_deps(more, two) == with_deps(a, one | two)
    if a.kinds and not one & ON_EVERY_PATH:
        assert leq(a, more)


@given(any_value(), any_value(), bits(KIND_NAMES))
def test_without(a: AbstractValue, b: AbstractValue, kinds: int) -> None:
    left = without(a, kinds)
    assert not left.kinds & kinds
    assert left.kinds == a.kinds & ~kinds
    assert without(left, kinds) == left
    assert left is BOTTOM or left.deps == a.deps
    assert leq(without(a, kinds), without(join(a, b), kinds))


@given(any_value(), bits(KIND_NAMES, least=1))
def test_only(a: AbstractValue, kinds: int) -> None:
    left = only(a, kinds)
    assert not left.kinds & ~kinds
    assert only(left, kinds) == left or not left.kinds
    if a.kinds & kinds:
        assert left == without(a, ~kinds)
    else:
        assert left == (make(kinds) if a.kinds in (0, UNKNOWN_KIND) or a.kinds & UNKNOWN_KIND else BOTTOM)


@given(any_value())
def test_equal_components_make_the_same_value(a: AbstractValue) -> None:
    again = make(a.kinds, a.deps, a.const, a.refs, a.elem, a.items)
    assert again == a
    assert hash(again) == hash(a)


@given(any_value())
def test_forgetting_keeps_equality_and_the_constants(a: AbstractValue) -> None:
    before = [UNKNOWN, TENSOR_VALUE, lattice.NONE_VALUE, lattice.HOST_SHAPE, lattice.SIZE_VALUE, BOTTOM]
    lattice.forget()
    after = make(a.kinds, a.deps, a.const, a.refs, a.elem, a.items)
    assert after == a
    assert hash(after) == hash(a)
    assert join(after, a) == a
    for value in before:
        assert make(value.kinds, value.deps, value.const, value.refs, value.elem, value.items) is value


@given(any_value())
def test_values_are_bounded(a: AbstractValue) -> None:
    assert len(a.refs) <= MAX_REFS
    assert a.items is None or len(a.items) <= MAX_ITEMS
    assert depth(a) <= MAX_DEPTH
    assert describe(a)


def depth(value: AbstractValue) -> int:
    inner = [value.elem] if value.elem is not None else []
    inner += [v for _, v in value.items or ()]
    if not inner:
        return 1 if value.items is not None else 0
    return 1 + max(map(depth, inner))


@given(st.lists(any_value(), max_size=12))
@settings(max_examples=50)
def test_chains_are_finite(found: list[AbstractValue]) -> None:
    value = BOTTOM
    climbs = 0
    for _ in range(3):
        for other in found:
            # Values made of the value so far would climb for ever, were depth not bounded.
            for new in (other, sequence([value, other]), container(value)):
                above = join(value, new)
                assert leq(value, above)
                climbs += above != value
                value = above
    assert climbs <= LONGEST_CHAIN
    for other in found:
        assert leq(other, value)


def test_a_list_of_itself_ends() -> None:
    value = TENSOR_VALUE
    for _ in range(4 * MAX_DEPTH):
        value = join(value, sequence([value]))
    assert join(value, sequence([value])) == value


@given(values(1), values(1))
def test_elements_of_containers(a: AbstractValue, b: AbstractValue) -> None:
    pair = sequence([a, b])
    assert element(pair) == join(a, b)
    assert all_deps(pair) & ~SETTLED == (all_deps(a) | all_deps(b)) & ~SETTLED
    assert not all_deps(pair) & SETTLED or SETTLED & (all_deps(a) | all_deps(b))
    assert leq(element(pair), element(join(pair, container(a))))


@given(st.lists(any_value(), max_size=5))
def test_join_all(found: list[AbstractValue]) -> None:
    assert join_all(found) == join_all(reversed(found))


@given(st.lists(values(0), min_size=1, max_size=3), st.lists(values(0), min_size=1, max_size=3))
@example([constant(1)], [TENSOR_VALUE])
def test_tuples_of_one_length_join_by_position(one: list[AbstractValue], two: list[AbstractValue]) -> None:
    both = join(sequence(one), sequence(two))
    if len(one) == len(two):
        assert both.items == tuple(enumerate(map(join, one, two)))
    else:
        assert both.items is None
        assert element(both) == join_all([*one, *two])
    assert both.must(CONTAINER)
    assert not both.may(HOST)
