"""What the methods of Python's containers do to what they hold, by name."""

from __future__ import annotations

from typing import Final

REPEATS: Final = frozenset({"append", "appendleft", "extend", "extendleft", "insert"})
"""Put one more element in each time they run."""

FILLS: Final = REPEATS | {"add", "setdefault", "update"}
"""Keep what they are given."""

TAKES: Final = frozenset({"pop", "popleft", "popitem"})
"""Take an element away and give it."""

TURNS: Final = frozenset({"reverse", "rotate"})
"""Put the elements in another order each time they run."""

ADVANCES: Final = frozenset({"__next__", "send"})
"""Methods of iterators that give the next element."""

TAKES_FROM_HEAP: Final = frozenset({"heapq.heappop", "heapq.heapreplace", "heapq.heappushpop"})
"""Functions that do so with the list that they are given first."""

PUTS_IN: Final = {
    **dict.fromkeys(("heapq.heappush", "heapq.heappushpop", "heapq.heapreplace"), 1),
    **dict.fromkeys((f"bisect.insort{side}" for side in ("", "_left", "_right")), 1),
}
"""Functions that put an argument, by its position, into the list that they are given first."""

SOME_OF: Final = {"heapq.nlargest": 1, "heapq.nsmallest": 1}
"""Functions that give a list of elements of an argument, by its position."""

GOES_THROUGH: Final = frozenset({"enumerate", "filter", "islice", "map", "tqdm", "zip"})
"""Last names of what gives the elements of an iterator that it is given, and advances it."""

RESIZES: Final = REPEATS | TAKES | {"add", "remove"}
"""Change how many elements there are."""

CHANGES: Final = FILLS | TAKES | {"clear", "discard", "remove"}
"""Every method that changes what is held."""

ALTERS: Final = (CHANGES - {"setdefault"}) | {"reverse", "sort"}
"""Methods that change what a container with elements gives from then on; `setdefault` leaves what is there."""

ITERATES: Final = frozenset("accumulate all any enumerate len list map max min set sorted sum tuple zip".split())
"""Functions of Python that go over an argument or ask for its length: a tensor without dimensions fails there."""

NEEDS_ONE: Final = frozenset("cat concat concatenate max min stack".split())
"""Last names of functions of Python and torch that raise for an argument that holds nothing (tests/oracle)."""

KEYED: Final = frozenset({"get", "pop", "setdefault"})
"""Give the element of a key."""

GIVES_ELEMENTS: Final = frozenset({"get", "items", "keys", "setdefault", "values"})
"""Give an element, or all of them, and leave it where it is."""

BUILDS: Final = frozenset(
    {
        *("builtins.list", "builtins.dict", "builtins.set", "collections.OrderedDict", "collections.defaultdict"),
        *("collections.deque", "types.SimpleNamespace"),
    }
)
"""What makes containers that autograd does not look into: of all, it takes tuples apart alone (tests/oracle)."""

PLAIN_BASES: Final = frozenset(
    {
        *("builtins.object", "builtins.list", "builtins.dict", "collections.OrderedDict", "collections.UserDict"),
        *("abc.ABC", "typing.Generic", "typing.Protocol"),
    }
)
"""Bases by which a class is neither a tuple nor a tensor."""

NAMED_TUPLE: Final = "typing.NamedTuple"
NAMED_TUPLE_MAKER: Final = "collections.namedtuple"
"""What makes classes of named tuples, which a reentrant checkpoint gives back as plain tuples (tests/oracle)."""
