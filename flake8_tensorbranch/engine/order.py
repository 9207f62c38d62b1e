"""The order of references and of functions: by what the project's files say, never by hashes or addresses.

A set of references is iterated in an order that changes from process to process. Whatever is read from one in turn (a
join, a way, the first that fits) reads it in this order instead: strings first, then by where the definitions stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from hashlib import blake2b
from typing import Any

Place = tuple[str, str, int, int]
"""Where something is defined: the dotted name of its module, the module's path, line and column."""


def ranked(refs: frozenset[Hashable]) -> tuple[Any, ...]:
    """References in an order that is the same in every process."""
    if len(refs) < 2:
        return tuple(refs)  # any order
    names = sorted(ref for ref in refs if isinstance(ref, str))
    others = [ref for ref in refs if not isinstance(ref, str)]  # any order
    if len(others) > 1:
        keys = {ref: _key(ref) for ref in others}
        if len(set(keys.values())) < len(others):
            counts = Counter(keys.values())
            keys = {ref: (*key, text(ref)) if counts[key] > 1 else key for ref, key in keys.items()}
        others.sort(key=keys.__getitem__)
    return (*names, *others)


def named(name: str) -> Place:
    """The place of what is outside the project."""
    return name, "", 0, 0


def first(refs: tuple[Any, ...]) -> Place:
    """The place of what is made from several, or from nothing known."""
    if not refs:
        return named("")
    return named(refs[0]) if isinstance(refs[0], str) else place(refs[0])


def in_order(things: Iterable[Any]) -> list[Any]:
    """Functions or classes by where they stand."""
    return sorted(things, key=place)


def place(thing: Any) -> Place:
    """Where a function or class stands; of a compound reference, what it is made from."""
    found: Place = thing.place
    return found


def _key(ref: Any) -> tuple[Any, ...]:
    return (*ref.place, type(ref).__name__)


def text(thing: Any) -> str:
    """A text that tells two things apart which references are made of, the same in every process."""
    if isinstance(thing, tuple):
        return "(" + ",".join([text(part) for part in thing]) + ")"
    fields = getattr(thing, "__dataclass_fields__", None)
    if fields is not None:
        return f"{type(thing).__name__}({','.join([text(getattr(thing, name)) for name in fields])})"
    if hasattr(thing, "digest"):
        return thing.digest or _digest(thing)
    where = getattr(thing, "place", None)
    return repr(thing) if where is None else f"{type(thing).__name__}{where}"


def _digest(value: Any) -> str:
    """The content of an abstract value in few letters, found once: values hold others, and share them."""
    refs = sorted([text(ref) for ref in value.refs]) if value.refs else ()
    elem = "" if value.elem is None else text(value.elem)
    items = "" if value.items is None else text(value.items)
    parts = (value.kinds, value.deps, type(value.const).__name__, value.const, refs, elem, items)
    value.digest = blake2b(repr(parts).encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()
    return str(value.digest)
