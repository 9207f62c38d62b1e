"""The transfer functions of operators are monotone, but for what they leave unsaid by design.

Raising an operand in the lattice, its kinds kept, raises the result. The exceptions, each by design:

- an operation that nothing is known of gives UNKNOWN, which rules are silent about: any result may stand above it;
- SYNCED, REPLAYED and MASK speak only of what depends on values: an operand that does not hands none of them on;
- SUPPOSED goes where anything else is known: it says that nothing was;
- a text reads no tensor it is compared with, `is True` asks for a flag, a slice selects: these constants say more;
- a mask selects only where it is one on every path, so raising an index may end a selection;
- of a container nothing is known to be in, an element is UNKNOWN; a record has a field only while
  all are known and for a constant index; what some keys of a mapping hold says nothing of one that is not known;
- an empty list says more of a comparison than a list of which nothing is known, and so do elements of one kind
  than elements that may be anything.

Raising the kinds may drop kinds from the result (a tensor that may be a number behaves as a tensor), but never the
tensor, nor what its values decide.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flake8_tensorbranch.engine.inference import compare, operators
from flake8_tensorbranch.engine.inference.states import merge
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    DATA,
    HOST,
    MAPPING,
    MASK,
    NO_CONST,
    NONE,
    OBJECT,
    ON_EVERY_PATH,
    SUPPOSED,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    all_deps,
    constant,
    element,
    join,
    leq,
    make,
    only,
)
from tests.properties.values import any_value, values

ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in")
PREFIXES = ("not", "-", "+", "~")
Unary = Callable[[AbstractValue], AbstractValue]


@st.composite
def raised(draw: st.DrawFn) -> tuple[AbstractValue, AbstractValue]:
    """A value and one above it of the same kinds, with a constant kept where it says more than its kind."""
    low, more = draw(values(1)), draw(values(1))
    assume(low.kinds)
    const = low.const if isinstance(low.const, (str, bool)) or low.const is slice else more.const
    if low.elem is None or not element(low).kinds:
        more = make(low.kinds, more.deps, const, more.refs)
    else:
        more = make(low.kinds, more.deps, const, more.refs, more.elem, more.items)
    high = join(low, more)
    assume(high.kinds == low.kinds)  # too many references make it unknown
    return low, high


def told(value: AbstractValue) -> AbstractValue:
    """`value` without what holds only on every path, and without what is known of nothing."""
    items = None if value.items is None else tuple((k, told(v)) for k, v in value.items)
    elem = None if value.elem is None else told(value.elem)
    return make(value.kinds, value.deps & ~(ON_EVERY_PATH | SUPPOSED), value.const, value.refs, elem, items)


def assert_raised(low: AbstractValue, high: AbstractValue) -> None:
    assert not low.known or leq(told(low), told(high)), f"{low!r} is not below {high!r}"


@given(raised(), values(1), st.sampled_from(ARITHMETIC))
@settings(max_examples=200)
def test_arithmetic(pair: tuple[AbstractValue, AbstractValue], other: AbstractValue, op: str) -> None:
    low, high = pair
    assert_raised(operators.binary(low, other, op), operators.binary(high, other, op))
    assert_raised(operators.binary(other, low, op), operators.binary(other, high, op))


@given(raised(), values(1), st.sampled_from(COMPARISONS))
@settings(max_examples=200)
def test_comparisons(pair: tuple[AbstractValue, AbstractValue], other: AbstractValue, op: str) -> None:
    low, high = pair
    assume(low.items != () or high.items == ())
    assume(operators.vague(element(low)) is operators.vague(element(high)))
    assert_raised(compare.compare(low, other, op), compare.compare(high, other, op))
    assert_raised(compare.compare(other, low, op), compare.compare(other, high, op))


@given(raised(), st.sampled_from(PREFIXES))
def test_prefixes(pair: tuple[AbstractValue, AbstractValue], op: str) -> None:
    assert_raised(operators.unary(pair[0], op), operators.unary(pair[1], op))


def unkeyed(value: AbstractValue) -> bool:
    return bool(value.kinds & MAPPING and element(value).kinds & UNKNOWN_KIND)


@given(raised(), values(1))
@settings(max_examples=200)
def test_subscripts(pair: tuple[AbstractValue, AbstractValue], other: AbstractValue) -> None:
    low, high = pair
    if not unkeyed(high) and (not low.kinds & OBJECT or (low.items is None) is (high.items is None)):
        assert_raised(operators.subscript(low, other), operators.subscript(high, other))
    if not unkeyed(other) and not all_deps(low) & MASK and (not other.kinds & OBJECT or low.const is high.const):
        assert_raised(operators.subscript(other, low), operators.subscript(other, high))


@given(raised())
def test_iteration(pair: tuple[AbstractValue, AbstractValue]) -> None:
    assert_raised(operators.iterate(pair[0]), operators.iterate(pair[1]))


@given(raised())
def test_falsy_parts(pair: tuple[AbstractValue, AbstractValue]) -> None:
    assert leq(operators.falsy(pair[0]), operators.falsy(pair[1]))


@pytest.mark.parametrize("question", [operators.truth_deps, operators.length_deps, operators.host_deps])
@given(pair=raised())
def test_dependences(question: Callable[[AbstractValue], int], pair: tuple[AbstractValue, AbstractValue]) -> None:
    low, high = (question(value) & ~ON_EVERY_PATH for value in pair)
    assert not low & ~high


PLAIN = TENSOR | HOST | UNKNOWN_KIND


def plain() -> st.SearchStrategy[AbstractValue]:
    """Tensors, numbers and what may be either, or anything; no text, for comparing with one reads nothing."""
    return values(0).map(lambda v: only(v, PLAIN)).filter(lambda v: v.kinds and not isinstance(v.const, str))


def assert_kept(low: AbstractValue, high: AbstractValue) -> None:
    """What a rule may build on in `low` is still there in `high`."""
    assert low.kinds & TENSOR <= high.kinds & TENSOR
    assert operators.truth_deps(low) & DATA <= operators.truth_deps(high) & DATA


@given(plain(), plain(), plain(), st.sampled_from(ARITHMETIC), st.sampled_from(COMPARISONS[:6]))
def test_more_kinds_keep_what_tensors_decide(
    a: AbstractValue, b: AbstractValue, other: AbstractValue, op: str, comparison: str
) -> None:
    high = join(a, b)
    assert_kept(operators.binary(a, other, op), operators.binary(high, other, op))
    assert_kept(operators.binary(other, a, op), operators.binary(other, high, op))
    assert_kept(compare.compare(a, other, comparison), compare.compare(high, other, comparison))
    assert_kept(compare.compare(other, a, comparison), compare.compare(other, high, comparison))
    assert_kept(operators.unary(a, "not"), operators.unary(high, "not"))
    assert_kept(operators.iterate(a), operators.iterate(high))


@given(any_value(), any_value(), st.sampled_from(ARITHMETIC), st.sampled_from(COMPARISONS), st.sampled_from(PREFIXES))
def test_operators_are_total(a: AbstractValue, b: AbstractValue, op: str, comparison: str, prefix: str) -> None:
    results = [operators.binary(a, b, op), compare.compare(a, b, comparison), operators.unary(a, prefix)]
    results += [operators.subscript(a, b), operators.iterate(a)]
    for result in results:
        assert result.kinds, "an operator always has a result"
        assert result.const is NO_CONST or result.must(HOST | NONE)


def test_a_number_that_may_be_unknown_is_still_read_from_a_tensor() -> None:
    value = join(make(HOST, DATA), UNKNOWN)
    for op in PREFIXES:
        assert operators.unary(value, op).deps & DATA
    for op in ARITHMETIC:
        assert operators.binary(value, constant(1), op).deps & DATA


def test_results_of_what_is_unknown() -> None:
    for op in ARITHMETIC:
        assert operators.binary(UNKNOWN, UNKNOWN, op) == UNKNOWN
        assert operators.binary(UNKNOWN, constant(1), op) == UNKNOWN
    assert operators.iterate(UNKNOWN) == UNKNOWN
    assert operators.subscript(UNKNOWN, constant(0)) == UNKNOWN
    assert operators.truth_deps(UNKNOWN) == operators.length_deps(UNKNOWN) == 0


PATHS = ("x", "y", "self", "self.a", "self.a.b", "x.y")


def states() -> st.SearchStrategy[dict[str, AbstractValue]]:
    return st.dictionaries(st.sampled_from(PATHS), values(1), max_size=4)


def below(a: dict[str, AbstractValue], b: dict[str, AbstractValue]) -> bool:
    """The order of states: an unbound name is BOTTOM, an attribute path that is not there may hold anything."""
    names = all(leq(value, b.get(key, BOTTOM)) for key, value in a.items() if "." not in key)
    return names and all(key in a and leq(a[key], value) for key, value in b.items() if "." in key)


@given(states(), states(), states())
def test_merging_states_is_a_join(
    a: dict[str, AbstractValue], b: dict[str, AbstractValue], c: dict[str, AbstractValue]
) -> None:
    before = dict(a), dict(b)
    both = merge(a, b)
    assert (a, b) == before
    assert both == merge(b, a)
    assert merge(a, a) == a
    assert merge(both, c) == merge(a, merge(b, c))
    assert below(a, both)
    assert below(b, both)
