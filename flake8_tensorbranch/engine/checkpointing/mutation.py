"""State that checkpointed regions change: all changes of a file, and which of them a read in the region meets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import directions, places, reseeded, saving
from flake8_tensorbranch.engine.checkpointing.changes import Change, How, changes
from flake8_tensorbranch.engine.checkpointing.handed import Handed
from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.checkpointing.places import Place
from flake8_tensorbranch.engine.checkpointing.uses import reads, sources
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import (
    DATA,
    RANDOM,
    SHAPE,
    TENSOR_VALUE,
    UNBACKED,
    UNKNOWN,
    AbstractValue,
    all_deps,
)
from flake8_tensorbranch.engine.lookup.guards import exclusive
from flake8_tensorbranch.engine.lookup.origins import Origins
from flake8_tensorbranch.engine.regions.region import Entry, Regions
from flake8_tensorbranch.knowledge.tensors import COPIES
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted
from flake8_tensorbranch.syntax.printing import source_of

Order = tuple[tuple[int, int], ...]
_CACHE: Final = re.compile(r"(^|_)(caches?|past)(_|$)|(^|_)kv(_|$)")
_READS: Final = DATA | UNBACKED | RANDOM
_BRANCHES: Final = (nodes.If, nodes.For, nodes.While, nodes.Try, nodes.IfExp, nodes.Match)


class Mutations:
    """The changes that the checkpointed regions of a program make."""

    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.regions = regions
        self.origins = Origins(program)
        self.handed = Handed(self.origins, regions)
        self._insides: Insides | None = None
        self._changes: list[Change] | None = None
        self._seeds: dict[int, bool] = {}
        self._by_entry: dict[int, list[Change]] = {}
        self._reads: list[tuple[Activation, Any, Place]] | None = None

    @property
    def insides(self) -> Insides:
        """What runs in the regions."""
        if self._insides is None:
            self._insides = Insides(self.origins, self.regions)
        return self._insides

    @property
    def changes(self) -> list[Change]:
        """Every change, by the activations that make it."""
        if self._changes is None:
            lasting = [a for a in self.insides.all() if not self._makes_own(a.function)]
            self._changes = [change for activation in lasting for change in changes(activation)]
        return self._changes

    def _makes_own(self, function: FunctionInfo) -> bool:
        """True for constructors, and for custom autograd functions, which keep things on a context of their own."""
        resolver = self.program.analysis.resolver
        return function.name == "__init__" or (function.cls is not None and resolver.has_base(function.cls, "Function"))

    def read(self, scope: FunctionInfo | None, test: nodes.NodeNG) -> str:
        """The state that a predicate reads and its own region changes, as spelled; empty when there is none.

        What a cache of keys and values grows by is a matter of the change itself, not of each test of its length.
        """
        if scope is None:
            return ""
        for activation in self.insides.of(scope):
            changes = self._growing(activation.entry)
            if _asks_for_size(activation, test):
                changes = [c for c in changes if not _keeps_window(c.value)]
            if not changes or saving.is_over(self.origins, activation, test):
                continue
            local = ""
            for at, node in sources(activation, test):
                place = places.of(at, node)
                met = [] if place is None else [c for c in changes if self.matters(c, at, node, place)]
                if met and place is not None and not directions.is_harmless(self.origins, at, test, node, met):
                    name = _state(node)
                    if not isinstance(node, nodes.Name) or (
                        isinstance(place.root, tuple) and place.root[1] == node.name
                    ):
                        return name
                    local = local or name  # a name for it: what it was read from tells more
            if local:
                return local
        return ""

    def _growing(self, entry: Entry) -> list[Change]:
        """The changes of a region, but for those that fill caches of keys and values."""
        if id(entry) not in self._by_entry:
            own = [c for c in self.changes if c.activation.entry is entry and not _fills_cache(c)]
            self._by_entry[id(entry)] = own
        return self._by_entry[id(entry)]

    def settled(self, scope: FunctionInfo | None, node: nodes.NodeNG, deps: Callable[[AbstractValue], int]) -> bool:
        """True when no run of a region reads a tensor's value for an expression: what it depends on was read before."""
        runs = self.insides.of(scope)
        return bool(runs) and not any(deps(a.facts.values.get(node, TENSOR_VALUE)) & _READS for a in runs)

    def drawn_anew(self, scope: FunctionInfo | None, deps: int) -> int:
        """`deps` without host randomness where all regions that run a scope seed it themselves, alike each time."""
        if not deps & RANDOM or scope is None:
            return deps
        entries = [a.entry for a in self.insides.of(scope)]
        return deps & ~RANDOM if entries and all(self.seeds(e) for e in entries) else deps

    def seeds(self, entry: Entry) -> bool:
        """True when a region seeds the host's generators before it draws."""
        if id(entry) not in self._seeds:
            self._seeds[id(entry)] = reseeded.repeats(self.insides, entry)
        return self._seeds[id(entry)]

    def matters(self, change: Change, at: Activation, node: Any, place: Place) -> bool:
        """True when a change makes the recompute read another value at a node than the forward did."""
        if change.settled or not change.place.meets(place) or self.renewed(place, at, node):
            return False
        if any(a == places.ANY and b[:2] == "['" for a, b in zip(change.place.path, place.path, strict=False)):
            return False  # some key is counted up, another may be asked for
        if change.how is How.STORES:
            if change.draws and change.order < order_of(at, node):
                return True
            if any(part.startswith("[") and not part.startswith("['") for part in change.place.path):
                return False  # which element is stored, and which is read, cannot be told
            if order_of(at, node) >= change.order or _is_hit(node):
                return False
            return not _never_together(at, node, change.activation, change.node)
        return True

    def renewed(self, place: Place, at: Activation, node: Any) -> bool:
        """True when every run of the region stores the state anew before it comes to a node."""
        return any(
            c.how is How.STORES
            and not (c.settled or c.draws)
            and c.place == place
            and _always(c)
            and c.order < order_of(at, node)
            for c in self.changes
            if c.activation.entry is at.entry
        )

    @property
    def drawn(self) -> set[Place]:
        """The state in which the regions keep what they draw."""
        return {c.place for c in self.changes if c.draws}

    def reads_of(self, change: Change) -> Iterator[tuple[Activation, Any]]:
        """The places where the region reads the changed state, but for the change itself."""
        if self._reads is None:
            self._reads = list(self._all_reads())
        for at, node, place in self._reads:
            if change.place.meets(place) and not _inside(node, change.node):
                yield at, node

    def _all_reads(self) -> Iterator[tuple[Activation, Any, Place]]:
        known: dict[FunctionInfo, list[Any]] = {}
        for activation in self.insides.all():
            function = activation.function
            if function not in known:
                known[function] = [read for node in _expressions(function) for read in reads(node)]
            for read in known[function]:
                place = places.of(activation, read) if activation.reached(read) else None
                if place is not None:
                    yield activation, read, place


def _state(node: Any) -> str:
    """The state that is read, as spelled: `self.seen` in `self.seen.get(key, 0)`."""
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute):
        node = node.func.expr
    return dotted(node) or source_of(node)


def _fills_cache(change: Change) -> bool:
    """True for a change of a cache of keys and values: `update` of one, or any change of what is named so."""
    node = change.node
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname == "update":
        return True
    root = change.place.root
    if isinstance(root, ClassInfo):
        return "Cache" in root.name
    return isinstance(root, tuple) and isinstance(root[0], FunctionInfo) and bool(_CACHE.search(str(root[1])))


def _asks_for_size(activation: Activation, test: nodes.NodeNG) -> bool:
    deps = all_deps(activation.facts.values.get(test, UNKNOWN))
    return bool(deps & SHAPE) and not deps & _READS


def _keeps_window(value: Any) -> bool:
    """True for the last few along some dimension, `x[:, -n:]`: a state that keeps them has one size from then on; and
    for None, which has none.
    """
    if isinstance(value, nodes.Const):
        return value.value is None
    while isinstance(value, nodes.Call) and isinstance(value.func, nodes.Attribute) and value.func.attrname in COPIES:
        value = value.func.expr
    index = value.slice if isinstance(value, nodes.Subscript) else None
    parts = index.elts if isinstance(index, nodes.Tuple) else [index]
    return any(
        isinstance(p, nodes.Slice) and p.upper is None and isinstance(p.lower, nodes.UnaryOp) and p.lower.op == "-"
        for p in parts
    )


def mutations_of(program: Program, regions: Regions) -> Mutations:
    """The changes that a program's checkpointed regions make, looked for once."""
    known = regions.memo.get("mutations")
    if known is None:
        known = regions.memo["mutations"] = Mutations(program, regions)
    return cast("Mutations", known)


def order_of(activation: Activation, node: Any) -> Order:
    """When in its region's run a node of an activation is evaluated."""
    return (*activation.order, (int(node.lineno or 0), int(node.col_offset or 0)))


def _never_together(a: Activation, node: Any, b: Activation, other: Any) -> bool:
    """True when one run of the region does not come to both places: the functions or calls exclude each other."""
    ways: dict[int, Any] = {}
    at: Activation | None = a
    while at is not None:
        ways[id(at)] = node
        node, at = at.call, at.parent
    up: Activation | None = b
    while up is not None:
        if id(up) in ways:
            return ways[id(up)] is not None and other is not None and exclusive(ways[id(up)], other)
        other, up = up.call, up.parent
    return False


def _expressions(function: FunctionInfo) -> Iterator[Any]:
    """The expressions that the statements of a function evaluate."""
    if function.is_lambda:
        yield function.node.body
        return
    for statement in function.node.nodes_of_class((nodes.NodeNG,), NESTED):
        if statement is function.node or not statement.is_statement:
            continue
        for child in statement.get_children():
            if not child.is_statement and not isinstance(child, (nodes.AssignName, nodes.AssignAttr, nodes.Arguments)):
                yield child


def _inside(node: Any, top: Any) -> bool:
    statement = top if top.is_statement else top.statement()
    return bool(
        statement is node
        or (statement.parent_of(node) and not isinstance(statement, (nodes.For, nodes.Return)))
        or top.parent_of(node)
    )


def _always(change: Change) -> bool:
    """True when no branch and no loop stands around a change, in its function and the calls that lead to it."""
    at: Activation | None = change.activation
    node: Any = change.node
    while at is not None and node is not None:
        child, up = node, node.parent
        while up is not None and up is not at.function.node:
            if isinstance(up, _BRANCHES) and not _only_side(at, up, child):
                return False
            child, up = up, up.parent
        node, at = at.call, at.parent
    return True


def _only_side(at: Activation, branch: Any, child: Any) -> bool:
    """True for a side of an `if` whose other side the run never comes to."""
    if not isinstance(branch, nodes.If) or child is branch.test:
        return False
    other = branch.orelse if child in branch.body else branch.body
    return bool(other) and not any(at.reached(n) for n in other[0].nodes_of_class(nodes.NodeNG))


def _is_hit(node: Any) -> bool:
    """True for what a cache gives back at once: `return self.table` under a test that it is there."""
    up = node.parent
    while up is not None and not up.is_statement:
        up = up.parent
    return isinstance(up, nodes.Return) and isinstance(up.parent, nodes.If) and len(up.parent.body) == 1
