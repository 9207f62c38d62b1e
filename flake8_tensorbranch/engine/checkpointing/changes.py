"""Changes: the statements by which a checkpointed region alters state that outlives its run."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import iterators, places, saving
from flake8_tensorbranch.engine.checkpointing.callbacks import OPPOSITE, take_back
from flake8_tensorbranch.engine.checkpointing.earlystop import stops
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.meant import meant
from flake8_tensorbranch.engine.checkpointing.memo import is_memo
from flake8_tensorbranch.engine.checkpointing.places import Place
from flake8_tensorbranch.engine.checkpointing.stores import of_call
from flake8_tensorbranch.engine.checkpointing.uses import derives, hands_back, repeats
from flake8_tensorbranch.engine.lattice import ARRAY, CONTAINER, MAPPING, RANDOM, TENSOR, UNKNOWN, AbstractValue
from flake8_tensorbranch.engine.lookup.loops import inside
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.containers import ADVANCES, REPEATS, TAKES, TAKES_FROM_HEAP, TURNS
from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.knowledge.modules import NAMING
from flake8_tensorbranch.knowledge.tensors import OVERWRITES
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import FunctionInfo
from flake8_tensorbranch.syntax.printing import source_of

_LOOPS: Final = (nodes.For, nodes.Comprehension)
_STATEMENTS: Final = (nodes.AugAssign, nodes.Assign, nodes.AnnAssign, nodes.Call, nodes.Delete, *_LOOPS)

_GROWING: Final = ("Counter", "Cache")  # classes outside of the project whose `update` adds to what is there
_DRAINS: Final = ("list", "tuple", "sum", "dict", "set", "sorted")
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
        taken_back = taken_back or take_back(activation, change.node)
        yield replace(change, settled=True) if taken_back else change


def _is_undone(change: Change, others: list[Change]) -> bool:
    """True for `n += 1` and the `n -= 1` that the recompute comes to as well: in a `finally`, or in the same block
    before the last saved tensor.
    """
    node = change.node
    if not isinstance(node, nodes.AugAssign):
        return False
    opposite = OPPOSITE.get(node.op)
    twins = (o.node for o in others if o.place == change.place and o.node is not node)
    return any(
        isinstance(twin, nodes.AugAssign)
        and twin.op == opposite
        and source_of(twin.value) == source_of(node.value)
        and ((in_finally(node) or in_finally(twin)) is not None or _comes_back(change.activation, node, twin))
        for twin in twins
    )


def _comes_back(activation: Activation, one: nodes.AugAssign, other: nodes.AugAssign) -> bool:
    """True for two statements of a block after which a recompute goes on."""
    last = max((one, other), key=lambda n: n.lineno or 0)
    origins = activation.origins
    goes_on = not stops(origins, activation.entry, activation.function) or saving.after(origins, activation, last)
    return one.parent is other.parent and goes_on


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
            targets: list[Any] = node.targets if isinstance(node, nodes.Assign) else [node.target]
            if isinstance(targets[0], (nodes.Tuple, nodes.List)) and iterators.iterates(activation, node.value):
                yield Change(activation, node.value, Place(node), How.TAKES)
            for target in targets:
                yield from _stored(activation, node, target)
    elif isinstance(node, nodes.Call):
        if activation.reached(node):
            yield from _called(activation, node)
    elif isinstance(node, _LOOPS):
        if iterators.iterates(activation, node.iter):
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
    part = isinstance(target, nodes.Subscript) and isinstance(target.slice, nodes.Slice)
    element = target if isinstance(target, nodes.Subscript) and not part else None
    own = derives(activation, node.value, place, element) and (part or not repeats(activation, node.value, place))
    memo = is_memo(activation, node, place)
    yield Change(activation, node, place, How.ADDS if own and not memo else How.STORES, node.value, memo)


def _called(activation: Activation, node: nodes.Call) -> Iterator[Change]:
    func, given = node.func, list(node.args)
    owner: Any = None
    if isinstance(func, nodes.Attribute) and func.attrname[-1:] != "_":
        name, owner = func.attrname, func.expr
    else:
        name, owner, given = meant(activation, node)
    first: Any = given[0] if given else None
    if owner is None and first is not None:
        takes = name == "next" and iterators.outlives(activation, first)
        if takes or (name in _DRAINS and iterators.iterates(activation, first)):
            yield Change(activation, node, Place(node), How.TAKES)
    if first is not None and any(n in TAKES_FROM_HEAP for n in activation.facts.externals.get(node, ())):
        heap = places.of(activation, first)
        if heap is not None:
            yield Change(activation, node, heap, How.TAKES, node)
    if node.args and _is_argument(activation, node.args[0]) and _works_in_place(activation, node):
        place = places.of(activation, node.args[0])
        yield Change(activation, node, place or Place(node), How.ARGUMENT, node)
    if node.keywords or name == "setattr" or name in NAMING:
        yield from _named(activation, node)
    place = None if owner is None or activation.facts.calls.get(node) else places.of(activation, owner)
    if owner is not None and place is not None:
        yield from _method(activation, node, name, owner, place)


def _named(activation: Activation, node: nodes.Call) -> Iterator[Change]:
    """What a call stores under a name (`setattr(o, "n", v)`), or in the tensor that it is given as `out=`."""
    stored, out = of_call(node), next((k.value for k in node.keywords if k.arg == "out"), None)
    if stored is not None and stored.value is not None:
        place = places.attribute(activation, stored.holder, stored.name)
        if place is not None and not hands_back(activation, stored.value, place):
            own = derives(activation, stored.value, place) and not repeats(activation, stored.value, place)
            memo = is_memo(activation, node, place)
            yield Change(activation, node, place, How.ADDS if own and not memo else How.STORES, stored.value, memo)
    place = None if out is None else places.of(activation, out)
    if out is not None and place is not None and activation.facts.values.get(out, UNKNOWN).kinds & TENSOR:
        own = any(derives(activation, a, place) for a in node.args)
        yield Change(activation, node, place, How.ADDS if own else How.STORES, node)


def _method(activation: Activation, node: nodes.Call, name: str, owner: Any, place: Place) -> Iterator[Change]:
    """What a method changes of the object, the state `place`."""
    value = activation.facts.values.get(owner, UNKNOWN)
    given = [*node.args, *(k.value for k in node.keywords)]
    holds = bool(value.kinds & (CONTAINER | MAPPING)) and not value.kinds & TENSOR
    if name.endswith("_") and not name.endswith("__") and not name.startswith("_"):
        row = tensor_row(name)
        if row is None or "inplace" not in row.effects or value.must(MAPPING):
            return
        if owner in given:
            given.remove(owner)
        elif value.must(CONTAINER | MAPPING):
            return
        if _is_argument(activation, owner):
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
        if not value.kinds & TENSOR and not _is_module(value):
            how = How.ADDS if name in REPEATS else How.TAKES
            # `while queue: queue.pop()` empties it: the recompute finds nothing left.
            drains = how is How.TAKES and isinstance(loop_around(node), nodes.While)
            yield Change(activation, node, place, how, node, not drains and is_memo(activation, node, place))
    elif name in ADVANCES and iterators.is_iterator(activation, owner):
        yield Change(activation, node, Place(node), How.TAKES)
    elif (name in TURNS and holds) or _adds_own(activation, name, given, place, holds):
        yield Change(activation, node, place, How.ADDS, node)
    elif name == "remove" and holds and given:
        yield Change(activation, node, place, How.TAKES, node, is_memo(activation, node, place))
    elif name == "update" and any(str(r).endswith(_GROWING) and "Static" not in str(r) for r in value.refs):
        yield Change(activation, node, place, How.ADDS, node)
    elif name in ("get", "get_nowait", "readline", "read") and _is_stream(value):
        yield Change(activation, node, place, How.TAKES, node)


def _adds_own(activation: Activation, name: str, given: list[Any], place: Place, holds: bool) -> bool:
    """True for `seen.add(len(seen))`, `seen.update(n=seen["n"] + 1)`: what is kept is made of what was there."""
    return holds and name in ("add", "update") and any(derives(activation, a, place) for a in given)


def _is_module(value: AbstractValue) -> bool:
    """True for `self.layers.append(layer)` and its like, which build a model."""
    return any(isinstance(r, Instance) and isinstance(r.cls, str) and r.cls.startswith("torch.nn.") for r in value.refs)


def _is_stream(value: AbstractValue) -> bool:
    return any(isinstance(r, Instance) and isinstance(r.cls, str) and r.cls.startswith(_QUEUES) for r in value.refs)
