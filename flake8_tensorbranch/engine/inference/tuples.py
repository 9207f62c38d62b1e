"""Tuples that calls make: named tuples and their classes, records with fields replaced, `torch.Size`."""

from __future__ import annotations

from flake8_tensorbranch.engine.inference import operators
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.lattice import (
    CALLABLE,
    CONTAINER,
    DATA,
    HOST,
    OBJECT,
    SHAPE,
    UNBACKED,
    UNKNOWN,
    AbstractValue,
    container,
    join_all,
    make,
    sequence,
)
from flake8_tensorbranch.engine.refs import Instance, RecordType


def record_type(args: Arguments) -> AbstractValue:
    """The class that `namedtuple("Name", fields)` makes."""
    fields = args.positional[1]
    names_: list[str] = []
    if isinstance(fields.const, str):
        names_ = fields.const.replace(",", " ").split()
    elif fields.items is not None:
        for _, value in fields.items:
            first = value.items[0][1] if value.items else value
            if not isinstance(first.const, str):
                return UNKNOWN
            names_.append(first.const)
    if not names_:
        return UNKNOWN
    return make(CALLABLE, refs=frozenset({RecordType(str(args.positional[0].const), tuple(names_))}))


def new_record(record: RecordType, args: Arguments) -> AbstractValue:
    """An instance of a named tuple."""
    items = []
    for position, name in enumerate(record.fields):
        value = args.get(position, name)
        items.append((name, value if value is not None else args.star or args.double_star or UNKNOWN))
    elem = join_all(v for _, v in items)
    return make(OBJECT, refs=frozenset({Instance(f"namedtuple.{record.name}")}), elem=elem, items=tuple(items))


def replaced(args: Arguments) -> AbstractValue:
    """A record with some of its fields replaced."""
    record = args.positional[0]
    if record.items is None:
        return record
    items = tuple((k, args.keywords.get(str(k), v)) for k, v in record.items)
    return make(record.kinds, record.deps, refs=record.refs, elem=join_all(v for _, v in items), items=items)


def size(sizes: AbstractValue) -> AbstractValue:
    """`torch.Size(sizes)`: plain numbers, whatever they are given as."""
    if sizes.items is not None and sizes.must(CONTAINER):
        return sequence([make(HOST, operators.host_deps(v), v.const) for _, v in sizes.items])
    deps = operators.host_deps(operators.iterate(sizes))
    if deps & DATA:  # of some of the sizes, nobody knows which
        deps = deps & ~DATA | UNBACKED | SHAPE
    return container(make(HOST, deps), operators.length_deps(sizes))


def cut(value: AbstractValue, bounds: list[object]) -> AbstractValue | None:
    """`value[a:b:c]` of a tuple or list whose elements are known one by one; None where a bound is not."""
    items, known = value.items, [b for b in bounds if b is None or type(b) is int]
    if items is None or value.kinds != CONTAINER or len(known) < len(bounds) or known[-1] == 0:
        return None
    kept = sequence([inner for _, inner in items][slice(*known)])
    return make(CONTAINER, value.deps, elem=kept.elem, items=kept.items)
