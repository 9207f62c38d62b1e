"""The lattice of abstract values: what a name may hold, and what that depends on.

An `AbstractValue` is a point of a product lattice: a set of kinds, a set of dependences, a flat constant, a bounded set
of references, and (to a bounded depth) the values inside a container. `join` is component-wise, `leq` is inclusion.
Every chain is finite, so every fixpoint over it ends.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

from flake8_tensorbranch.engine.order import ranked

# Kinds: what the value is.
TENSOR: Final = 1  # a torch tensor; testing its truth reads its value
HOST: Final = 2  # a Python number, bool, string or other plain value
NONE: Final = 4
CONTAINER: Final = 8  # tuple, list, dict, set
OBJECT: Final = 16  # an instance of a class; `refs` say which
CALLABLE: Final = 32  # a function, class or bound method
ARRAY: Final = 64  # a NumPy array or scalar
NAMESPACE: Final = 128  # a module
UNKNOWN_KIND: Final = 256  # anything
MAPPING: Final = 512  # a dict: iterating gives its keys, `elem` and `items` hold its values

# Dependences: what the value (for a tensor or a container: its size) was computed from.
DATA: Final = 1  # the values of a tensor
SHAPE: Final = 2  # the sizes of a tensor
RANDOM: Final = 4  # host randomness or time, which a checkpoint's recompute does not replay
NONDET: Final = 8  # an operator on PyTorch's list of nondeterministic operators
SYNCED: Final = 16  # made equal on every rank by a collective
MASK: Final = 32  # booleans: indexing with such a tensor gives a size that depends on values; host ones are flags
REPLAYED: Final = 64  # drawn from torch's default generator alone, which a checkpoint replays
UNBACKED: Final = 128  # a size that depends on the values of a tensor: of `nonzero`, of a masked selection
SUPPOSED: Final = 256  # only where a value nothing was known of turned out to be a tensor
SETTLED: Final = 512  # all DATA was read from tensors when an object was made, and kept on it since
ON_EVERY_PATH: Final = SYNCED | MASK | REPLAYED | SETTLED  # these say something only where they hold on every path

MODULE_KINDS: Final = OBJECT | CALLABLE | NAMESPACE
HOLDERS: Final = CONTAINER | MAPPING | OBJECT  # only these have elements

MAX_REFS: Final = 16
MAX_ITEMS: Final = 24
MAX_DEPTH: Final = 5


class _NoConst:
    """The top of the flat lattice of constants: no single value is known."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_CONST"


NO_CONST: Final = _NoConst()

FIRST_UNBACKED: Final = "first size depends on values"  # constant of the shape of a tensor of which only that size does

REST: Final = "**"  # key of a mapping's items: what the keys not named beside it hold, if they are there

Key = Hashable
Items = tuple[tuple[Key, "AbstractValue"], ...]


class AbstractValue:
    """One point of the lattice; immutable. Build it with `make`, which interns.

    `kinds` and `deps` are bit sets. `const` is a Python constant when exactly one is possible, else `NO_CONST`. `refs`
    name the functions, classes or qualified names meant. `elem` is the join of a container's elements, `items` its
    elements by constant key where all keys are known (for a tuple: 0..n-1; for a mapping with others under `REST`);
    `elem` is always above every one of `items`. `each` holds the `refs` in the one order to read them in.
    """

    __slots__ = ("_hash", "const", "deps", "digest", "each", "elem", "items", "kinds", "refs")

    def __init__(
        self,
        kinds: int,
        deps: int,
        const: object,
        refs: frozenset[Hashable],
        elem: AbstractValue | None,
        items: Items | None,
    ) -> None:
        self.kinds = kinds
        self.deps = deps
        self.const = const
        self.refs = refs
        each: tuple[Any, ...] = tuple(refs)  # any order
        self.each = ranked(refs) if each[1:] else each
        self.elem = elem
        self.items = items
        self.digest = ""  # see `engine.order`
        self._hash = hash((kinds, deps, type(const), const, refs, elem, items))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, AbstractValue)
            and self._hash == other._hash
            and self.kinds == other.kinds
            and self.deps == other.deps
            and type(self.const) is type(other.const)
            and self.const == other.const
            and self.refs == other.refs
            and self.elem == other.elem
            and self.items == other.items
        )

    def must(self, kinds: int) -> bool:
        """True when every kind the value may have is among `kinds` (and it has one)."""
        return self.kinds != 0 and not self.kinds & ~kinds

    def may(self, kinds: int) -> bool:
        """True when some kind the value may have is among `kinds`."""
        return bool(self.kinds & kinds)

    @property
    def known(self) -> bool:
        """False for BOTTOM and for a value that is nothing but unknown."""
        return self.kinds not in (0, UNKNOWN_KIND)

    def __repr__(self) -> str:
        from flake8_tensorbranch.engine.words import describe

        return describe(self)


_plain: dict[tuple[int, int], AbstractValue] = {}  # those of kinds and dependences alone: few, and free of references
_interned: dict[tuple[object, ...], AbstractValue] = {}
_joins: dict[tuple[AbstractValue, AbstractValue], AbstractValue] = {}
DERIVED: Final[list[dict[Any, AbstractValue]]] = []
"""Tables of values made from others, by what they are made from; `forget` empties them."""
_NO_REFS: frozenset[Hashable] = frozenset()
MANY: Final = "*"  # stands for more references than are worth telling apart
_MANY_REFS: frozenset[Hashable] = frozenset({MANY})


def make(
    kinds: int,
    deps: int = 0,
    const: object = NO_CONST,
    refs: frozenset[Hashable] = _NO_REFS,
    elem: AbstractValue | None = None,
    items: Items | None = None,
) -> AbstractValue:
    """The interned abstract value with these components; structure is kept for `HOLDERS`, down to `MAX_DEPTH`."""
    if const is NO_CONST and refs is _NO_REFS and elem is None and items is None:
        plain = _plain.get((kinds, deps))
        if plain is None:
            plain = _plain[kinds, deps] = AbstractValue(kinds, deps, const, refs, elem, items)
        return plain
    key = (kinds, deps, type(const), const, refs, elem, items)
    found = _interned.get(key)
    if found is not None:
        return found
    if len(refs) > MAX_REFS or MANY in refs:
        refs, kinds = _MANY_REFS, kinds | UNKNOWN_KIND
    if (elem is not None or items is not None) and not kinds & HOLDERS:
        elem = items = None
    if items is not None and len(items) > MAX_ITEMS:
        items = None
    if (elem is not None or items is not None) and _depth(elem, items) > MAX_DEPTH:
        elem = None if elem is None else _flat(elem, MAX_DEPTH - 1)
        items = None if items is None else tuple((k, _flat(v, MAX_DEPTH - 1)) for k, v in items)
    value = AbstractValue(kinds, deps, const, refs, elem, items)
    _interned[key] = value
    return value


def _depth(elem: AbstractValue | None, items: Items | None) -> int:
    inner = 0 if elem is None else _depth(elem.elem, elem.items)
    if items is not None:
        for _, value in items:
            inner = max(inner, _depth(value.elem, value.items))
    return 1 + inner if elem is not None or items is not None else 0


def _flat(value: AbstractValue, depth: int) -> AbstractValue:
    """`value` with its structure cut below `depth` levels."""
    if value.elem is None and value.items is None:
        return value
    if depth <= 0:
        return make(value.kinds, value.deps, value.const, value.refs)
    elem = None if value.elem is None else _flat(value.elem, depth - 1)
    items = None if value.items is None else tuple((k, _flat(v, depth - 1)) for k, v in value.items)
    return make(value.kinds, value.deps, value.const, value.refs, elem, items)


BOTTOM: Final = make(0)
UNKNOWN: Final = make(UNKNOWN_KIND)
TENSOR_VALUE: Final = make(TENSOR)
NONE_VALUE: Final = make(NONE, const=None)
HOST_VALUE: Final = make(HOST)
HOST_DATA: Final = make(HOST, DATA)
HOST_SHAPE: Final = make(HOST, SHAPE)
TENSOR_LIST: Final = make(CONTAINER, elem=TENSOR_VALUE)
SIZE_VALUE: Final = make(CONTAINER, elem=HOST_SHAPE)


_CONSTANTS: Final = (
    BOTTOM, UNKNOWN, TENSOR_VALUE, NONE_VALUE, HOST_VALUE, HOST_DATA, HOST_SHAPE, TENSOR_LIST, SIZE_VALUE
)  # fmt: skip


def interned() -> int:
    """How many abstract values are kept for reuse."""
    return len(_interned) + len(_joins)


def forget() -> None:
    """Drop the values kept for reuse, and with them the modules they refer to; the constants stay the only ones of
    their kind.
    """
    _interned.clear()
    _joins.clear()
    for table in DERIVED:
        table.clear()
    for v in _CONSTANTS:
        _interned[v.kinds, v.deps, type(v.const), v.const, v.refs, v.elem, v.items] = v


def constant(value: object) -> AbstractValue:
    """The abstract value of a Python literal."""
    return NONE_VALUE if value is None else make(HOST, const=value)


def join(a: AbstractValue, b: AbstractValue) -> AbstractValue:
    """The least upper bound of two values."""
    if a is b or not b.kinds:
        return a
    if not a.kinds:
        return b
    key = (a, b)
    found = _joins.get(key)
    if found is None:
        found = _joins[key] = _join(a, b)
    return found


def _join(a: AbstractValue, b: AbstractValue) -> AbstractValue:
    same = type(a.const) is type(b.const) and a.const == b.const
    elem = a.elem if b.elem is None else b.elem if a.elem is None else join(a.elem, b.elem)
    items = a.items
    if a.items != b.items:
        if a.items is None or b.items is None:
            # Only one side is a container with known keys: its keys stay where the other side is no container at all.
            one, other = (a, b) if b.items is None else (b, a)
            items = None if other.kinds & HOLDERS else one.items
            told = other.elem is not None and not other.elem.kinds & (UNKNOWN_KIND | TENSOR)
            if told and one.kinds == other.kinds == MAPPING:  # as numbers under any key: `defaultdict(float)`
                items = _either_key(dict(one.items or ()), {REST: element(other)})
        elif [k for k, _ in a.items] == [k for k, _ in b.items]:
            items = tuple((k, join(v, w)) for (k, v), (_, w) in zip(a.items, b.items, strict=True))
        else:
            elem = join_all([v for _, v in (*a.items, *b.items)], elem or BOTTOM)
            items = _either_key(dict(a.items), dict(b.items)) if a.kinds | b.kinds == MAPPING else None
    deps = (a.deps | b.deps) & ~ON_EVERY_PATH | (a.deps & b.deps & ON_EVERY_PATH)
    if (a.kinds ^ b.kinds) & TENSOR:
        # A tensor's DATA is that of its size, a number's or an array's that of its value: the latter says nothing of
        # the tensor, whose truth is DATA anyway.
        deps = deps & ~DATA | (a if a.kinds & TENSOR else b).deps & DATA
    return make(a.kinds | b.kinds, deps, a.const if same else NO_CONST, a.refs | b.refs, elem, items)


def _either_key(a: dict[Key, AbstractValue], b: dict[Key, AbstractValue]) -> Items:
    """The keys of two mappings, either of which may be the one: a key of one alone may be missing."""
    rest_a, rest_b = a.get(REST), b.get(REST)
    found = {}
    for key in sorted((k for k in {**a, **b} if k != REST), key=repr):
        found[key] = join(a.get(key) or rest_a or NONE_VALUE, b.get(key) or rest_b or NONE_VALUE)
    rest = join(rest_a or BOTTOM, rest_b or BOTTOM)
    return (*found.items(), *([(REST, rest)] if rest.kinds else ()))


def opened(items: Mapping[Any, AbstractValue], rest: AbstractValue, deps: int = 0) -> AbstractValue:
    """A mapping that holds `items` and, under keys nobody knows, `rest` (BOTTOM: it has no other keys)."""
    elem = join_all(items.values(), rest)
    if not items and rest.kinds:
        return make(MAPPING, deps, elem=elem)
    return make(MAPPING, deps, elem=elem, items=(*items.items(), *([(REST, rest)] if rest.kinds else ())))


def join_all(values: Iterable[AbstractValue], start: AbstractValue = BOTTOM) -> AbstractValue:
    """The least upper bound of many values."""
    for value in values:
        start = join(start, value)
    return start


def leq(a: AbstractValue, b: AbstractValue) -> bool:
    """True when `b` says at most what `a` says: the lattice's order."""
    return join(a, b) == b


def either(a: int, b: int) -> int:
    """The dependences of what depends on both `a` and `b`: settled where all DATA is."""
    late = a & (DATA | SETTLED) == DATA or b & (DATA | SETTLED) == DATA
    return (a | b) & ~SETTLED if late else a | b


def with_deps(value: AbstractValue, deps: int) -> AbstractValue:
    """`value`, depending on `deps` as well."""
    if value.deps | deps == value.deps:
        return value
    return make(value.kinds, value.deps | deps, value.const, value.refs, value.elem, value.items)


def without(value: AbstractValue, kinds: int) -> AbstractValue:
    """`value` known to be none of `kinds`; BOTTOM when nothing is left."""
    left = value.kinds & ~kinds
    if left == value.kinds:
        return value
    if not left:
        return BOTTOM
    const = NO_CONST if value.const is None and kinds & NONE else value.const
    refs = _NO_REFS if kinds & UNKNOWN_KIND and MANY in value.refs else value.refs  # too many to be known
    return make(left, value.deps, const, refs, value.elem, value.items)


def only(value: AbstractValue, kinds: int) -> AbstractValue:
    """`value` known to be one of `kinds`; an unknown value becomes just these kinds."""
    if value.kinds & kinds:
        return without(value, ~kinds)
    return make(kinds) if value.kinds & UNKNOWN_KIND or not value.kinds else BOTTOM


def sequence(values: list[AbstractValue]) -> AbstractValue:
    """A tuple or list holding exactly `values`."""
    return make(CONTAINER, elem=join_all(values), items=tuple(enumerate(values)))


def container(elem: AbstractValue, deps: int = 0) -> AbstractValue:
    """A container of unknown length whose elements are `elem`; `deps` are the length's."""
    return make(CONTAINER, deps, elem=elem)


def element(value: AbstractValue) -> AbstractValue:
    """The join of a container's elements; BOTTOM when nothing is known of them."""
    if value.items is not None:
        return join_all((v for _, v in value.items), value.elem or BOTTOM)
    return value.elem or BOTTOM


def all_deps(value: AbstractValue) -> int:
    """The dependences of a value and of everything in it; reading a tensor adds DATA."""
    deps = value.deps | (DATA if value.kinds & TENSOR else 0)
    if value.elem is not None:
        found = all_deps(value.elem)
        deps = either(deps, found) if (deps | found) & SETTLED else deps | found
    if value.items is not None:
        for _, inner in value.items:
            found = all_deps(inner)
            deps = either(deps, found) if (deps | found) & SETTLED else deps | found
    return deps
