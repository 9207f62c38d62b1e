"""Changes: the statements by which a checkpointed region alters state that outlives its run."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import places
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.memo import is_memo
from flake8_tensorbranch.engine.checkpointing.places import Place
from flake8_tensorbranch.engine.checkpointing.uses import derives, hands_back, repeats
from flake8_tensorbranch.engine.lattice import ARRAY, CONTAINER, MAPPING, RANDOM, TENSOR, UNKNOWN
from flake8_tensorbranch.engine.lookup.loops import inside
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.containers import GOES_THROUGH, REPEATS, TAKES, TAKES_FROM_HEAP
from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.knowledge.tensors import OVERWRITES
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import FunctionInfo, last_name
from flake8_tensorbranch.syntax.printing import source_of

_LOOPS: Final = (nodes.For, nodes.Comprehension)
_STATEMENTS: Final = (nodes.AugAssign, nodes.Assign, nodes.AnnAssign, nodes.Call, nodes.Delete, *_LOOPS)

_ITERATORS: Final = frozenset({"iter", "zip", "map", "filter", "enumerate", "reversed", "open"})
_GROWING: Final = ("Counter", "Cache")  # classes outside of the project whose `update` adds to what is there
_QUEUES: Final = ("queue.", "collections.deque", "multiprocessing.")


class How(enum.Enum):
    """What a change does to the state when it runs a second time."""

    ADDS = "adds"  # builds on what is there: counted twice
    TAKES = "takes"  # takes something away: the second run gets another, or none
    STORES = "stores"  # stores what does not depend on it: the same again, unless it is read before
    ARGUMENT = "argument"  # alters a tensor that the region was handed


@dataclass(frozen=True, eq=False, slots=True)
class Change:
    """One change: where, of what, in which activation.

    `settled` is true where it leaves nothing to repeat: it fills an empty cache, or is taken back before the run ends.
    """

    activation: Activation
    node: nodes.NodeNG
    place: Place
    how: How
    value: nodes.NodeNG | None = None
    settled: bool = False

    @property
    def draws(self) -> bool:
        """True when what is stored is drawn, and another in the recompute."""
        value = None if self.value is None else self.activation.facts.values.get(self.value)
        return self.how is How.STORES and value is not None and bool(value.deps & RANDOM) and not value.kinds & TENSOR

    @property
    def order(self) -> tuple[tuple[int, int], ...]:
        """When in the region's run it happens, as positions of calls and then its own."""
        return (*self.activation.order, (int(self.node.lineno or 0), int(self.node.col_offset or 0)))


def changes(activation: Activation) -> Iterator[Change]:
    """The changes that one activation makes itself."""
    found = [
        c for node in inside(activation.function) if isinstance(node, _STATEMENTS) for c in _changes(activation, node)
    ]
    enters = _is_scope(activation.function)
    back = [
        c.place
        for c in found
        if c.how is How.STORES and isinstance(c.value, nodes.Name) and repeats(activation, c.value, c.place)
    ]
    for change in found:
        taken_back = change.place in back or (enters and change.how is How.STORES) or _is_undone(change, found)
        yield replace(change, settled=True) if taken_back else change


def _is_undone(change: Change, others: list[Change]) -> bool:
    """True for `n += 1` before a `try` or in it whose `finally` holds `n -= 1`, and for that one."""
    node = change.node
    if not isinstance(node, nodes.AugAssign):
        return False
    opposite = {"+=": "-=", "-=": "+="}.get(node.op)
    twins = (o.node for o in others if o.place == change.place and o.node is not node)
    return any(
        isinstance(twin, nodes.AugAssign)
        and twin.op == opposite
        and source_of(twin.value) == source_of(node.value)
        and (in_finally(node) or in_finally(twin)) is not None
        for twin in twins
    )


def in_finally(node: Any) -> nodes.Try | None:
    """The `try` in whose `finally` a node stands, which runs even where the recompute stops in its body."""
    child, up = node, node.parent
    while up is not None and not isinstance(child, NESTED):
        if isinstance(up, nodes.Try) and child in up.finalbody:
            return up
        child, up = up, up.parent
    return None


def _is_scope(function: FunctionInfo) -> bool:
    """True for what enters and leaves a context: it takes back what it sets."""
    return function.name in ("__enter__", "__exit__") or any(
        d.rsplit(".", 1)[-1] == "contextmanager" for d in function.decorator_names
    )


def _changes(activation: Activation, node: Any) -> Iterator[Change]:
    if isinstance(node, nodes.AugAssign):
        if activation.reached(node.value):
            yield from _augmented(activation, node)
    elif isinstance(node, (nodes.Assign, nodes.AnnAssign)):
        if node.value is not None and activation.reached(node.value):
            for target in node.targets if isinstance(node, nodes.Assign) else [node.target]:
                yield from _stored(activation, node, target)
    elif isinstance(node, nodes.Call):
        if activation.reached(node):
            yield from _called(activation, node)
    elif isinstance(node, _LOOPS):
        if _iterates(activation, node.iter):
            yield Change(activation, node.iter, Place(node), How.TAKES)
    elif isinstance(node, nodes.Delete):
        for target in node.targets:
            if isinstance(target, nodes.Subscript) and activation.reached(target.value):
                place = places.of(activation, target.value)
                if place is not None:
                    yield Change(activation, node, place, How.TAKES)


def _augmented(activation: Activation, node: nodes.AugAssign) -> Iterator[Change]:
    target = node.target
    value = activation.facts.values.get(target, UNKNOWN)
    if isinstance(target, nodes.AssignName):
        place = places.of(activation, target)
        if place is None:
            return
        owned = target.name in activation.function.local_names and place.root != (
            activation.function.module,
            target.name,
        )
        if not owned or _rebinds_outer(activation.function, target.name):
            yield Change(activation, node, place, How.ADDS, node.value)
        elif value.must(TENSOR) or value.must(TENSOR | ARRAY | CONTAINER):
            yield Change(activation, node, place, _in_place(activation, place), node.value)
        return
    place = places.of(activation, target)
    if place is not None:
        yield Change(activation, node, place, How.ADDS, node.value)


def _rebinds_outer(function: FunctionInfo, name: str) -> bool:
    return name in function.declared_global or name in function.declared_nonlocal


def _in_place(activation: Activation, place: Place) -> How:
    """What is done in place to an argument of the region itself breaks backward; to anything else, it counts twice."""
    root = place.root
    if activation.parent is None and not place.path and isinstance(root, tuple) and root[0] is activation.function:
        named = [k.arg for k in getattr(activation.entry.node, "keywords", None) or ()]
        return How.ADDS if root[1] in named else How.ARGUMENT  # no version counter guards what is given by keyword
    return How.ADDS


def _is_argument(activation: Activation, node: Any) -> bool:
    """True for a tensor that the checkpoint call itself hands over by position, not bound anew since."""
    place = places.of(activation, node)
    if place is None or not isinstance(activation.entry.node, nodes.Call) or not isinstance(node, nodes.Name):
        return False
    value = activation.facts.values.get(node, UNKNOWN)
    return value.must(TENSOR) and _in_place(activation, place) is How.ARGUMENT


def _works_in_place(activation: Activation, node: nodes.Call) -> bool:
    """True for `F.relu(x, inplace=True)`, and for a layer that was built with `inplace=True`."""
    if is_in_place(node):
        return any(n.startswith("torch.nn.functional.") for n in activation.facts.externals.get(node, {}))
    layers = activation.facts.values.get(node.func, UNKNOWN).refs
    if not layers or not all(isinstance(r, Instance) and str(r.cls).startswith("torch.nn.") for r in layers):
        return False
    made = activation.origins.of(activation.expr(node.func))
    return bool(made) and all(isinstance(o.node, nodes.Call) and is_in_place(o.node) for o in made)


def is_in_place(call: nodes.Call) -> bool:
    """True for a call with `inplace=True`."""
    return any(k.arg == "inplace" and isinstance(k.value, nodes.Const) and k.value.value is True for k in call.keywords)


def _stored(activation: Activation, node: Any, target: Any) -> Iterator[Change]:
    if isinstance(target, (nodes.Tuple, nodes.List)):
        for inner in target.elts:
            yield from _stored(activation, node, inner)
        return
    if isinstance(target, nodes.AssignName):
        if not _rebinds_outer(activation.function, target.name):
            return
    elif not isinstance(target, (nodes.AssignAttr, nodes.Subscript)):
        return
    if isinstance(target, nodes.Subscript) and _is_argument(activation, target.value):
        yield Change(activation, node, places.of(activation, target.value) or Place(node), How.ARGUMENT, node.value)
        return
    place = places.of(activation, target)
    if place is None or hands_back(activation, node.value, place):
        return
    element = target if isinstance(target, nodes.Subscript) else None
    own = derives(activation, node.value, place, element) and not repeats(activation, node.value, place)
    memo = is_memo(activation, node, place)
    yield Change(activation, node, place, How.ADDS if own and not memo else How.STORES, node.value, memo)


def _called(activation: Activation, node: nodes.Call) -> Iterator[Change]:
    func = node.func
    if isinstance(func, nodes.Name) and func.name == "next" and node.args and _outlives(activation, node.args[0]):
        yield Change(activation, node, Place(node), How.TAKES)
    drains = isinstance(func, nodes.Name) and func.name in ("list", "tuple", "sum", "dict", "set", "sorted")
    if drains and node.args and _is_iterator(activation, node.args[0]):
        yield Change(activation, node, Place(node), How.TAKES)
    if node.args and any(name in TAKES_FROM_HEAP for name in activation.facts.externals.get(node, ())):
        heap = places.of(activation, node.args[0])
        if heap is not None:
            yield Change(activation, node, heap, How.TAKES, node)
    if node.args and _is_argument(activation, node.args[0]) and _works_in_place(activation, node):
        place = places.of(activation, node.args[0])
        yield Change(activation, node, place or Place(node), How.ARGUMENT, node)
    if not isinstance(func, nodes.Attribute) or activation.facts.calls.get(node):
        return
    name = func.attrname
    place = places.of(activation, func.expr)
    if place is None:
        return
    value = activation.facts.values.get(func.expr, UNKNOWN)
    if name.endswith("_") and not name.endswith("__") and not name.startswith("_"):
        row = tensor_row(name)
        if row is None or "inplace" not in row.effects or value.must(CONTAINER | MAPPING):
            return
        given = [*node.args, *(k.value for k in node.keywords)]
        if _is_argument(activation, func.expr):
            yield Change(activation, node, place, How.ARGUMENT, node)
        elif name in OVERWRITES:
            own = any(derives(activation, a, place) for a in given)
            yield Change(
                activation, node, place, How.ADDS if own else How.STORES, node, is_memo(activation, node, place)
            )
        else:
            how = _in_place(activation, place) if value.kinds & TENSOR else How.ADDS
            yield Change(activation, node, place, how, node, is_memo(activation, node, place))
    elif name in REPEATS or name in TAKES:
        if not value.kinds & TENSOR and not _is_module(activation, node):
            how = How.ADDS if name in REPEATS else How.TAKES
            # `while queue: queue.pop()` empties it: the recompute finds nothing left.
            drains = how is How.TAKES and isinstance(loop_around(node), nodes.While)
            yield Change(activation, node, place, how, node, not drains and is_memo(activation, node, place))
    elif name == "update" and any(str(r).endswith(_GROWING) and "Static" not in str(r) for r in value.refs):
        yield Change(activation, node, place, How.ADDS, node)
    elif name in ("get", "get_nowait", "readline", "read") and _is_stream(activation, func.expr):
        yield Change(activation, node, place, How.TAKES, node)


def _is_module(activation: Activation, node: Any) -> bool:
    """True for `self.layers.append(layer)` and its like, which build a model."""
    value = activation.facts.values.get(node.func.expr, UNKNOWN)
    return any(isinstance(r, Instance) and isinstance(r.cls, str) and r.cls.startswith("torch.nn.") for r in value.refs)


def _is_stream(activation: Activation, node: nodes.NodeNG) -> bool:
    value = activation.facts.values.get(node, UNKNOWN)
    return any(isinstance(r, Instance) and isinstance(r.cls, str) and r.cls.startswith(_QUEUES) for r in value.refs)


def _outlives(activation: Activation, node: nodes.NodeNG) -> bool:
    """True when an iterator comes from outside of the region, so that the recompute finds it advanced."""
    if isinstance(node, nodes.Call):
        return False
    place = places.of(activation, node)
    return place is not None and not _counts(activation, node)


def _sources(activation: Activation, node: nodes.NodeNG) -> list[Any]:
    return activation.origins.of(activation.expr(node), calls=False) if activation.reached(node) else []


def _counts(activation: Activation, node: nodes.NodeNG) -> bool:
    """True for an `itertools.count`: what it gives is a matter of where it goes, as with a draw."""
    return any(isinstance(o.node, nodes.Call) and _name(o.node) == "count" for o in _sources(activation, node))


def _is_iterator(activation: Activation, node: nodes.NodeNG) -> bool:
    """True for a name or attribute that holds an iterator made outside of the region."""
    if not isinstance(node, (nodes.Name, nodes.Attribute)) or places.of(activation, node) is None:
        return False
    found = _sources(activation, node)
    return bool(found) and all(_makes_iterator(activation, o) for o in found)


def _iterates(activation: Activation, node: nodes.NodeNG) -> bool:
    """True for a loop over such an iterator, or over `enumerate(iterator)` and its like."""
    if isinstance(node, nodes.Call) and _name(node) in GOES_THROUGH:
        return any(_is_iterator(activation, argument) for argument in node.args)
    return _is_iterator(activation, node)


def _makes_iterator(activation: Activation, origin: Any) -> bool:
    if isinstance(origin.node, nodes.GeneratorExp):
        return True
    if not isinstance(origin.node, nodes.Call):
        return False
    name = _name(origin.node)
    if isinstance(origin.node.func, nodes.Name) and name in _ITERATORS:
        return True
    if any(e.startswith("itertools.") for e in activation.origins.externals(origin)):
        return True
    return any(c.is_generator for c in activation.origins.callees(origin))


def _name(call: nodes.Call) -> str:
    func = call.func
    return last_name(func)
