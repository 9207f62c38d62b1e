"""Items of containers that a compiled function counts up: a dict or list of a module, or of the file's globals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from astroid import nodes

from flake8_tensorbranch.engine.compiling import beginnings, kept
from flake8_tensorbranch.engine.compiling.accesses import Place
from flake8_tensorbranch.engine.compiling.compile_state import KIND, State
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import TENSOR
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.regions.trace import spelled
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.syntax.names import FunctionInfo


def sites(program: Program, regions: Regions, state: State) -> Iterator[TracedSite]:
    """A site for each item that a compiled function reads, and stores another int or string for the next call."""
    specialised = regions.has("module-int-specialised")
    for function, membership in state.members.items():
        if membership.entry.option("fullgraph") is True and regions.of(function, "checkpointed") is not None:
            continue
        told: set[str] = set()
        for item in _stores(function):
            keys, base = _chain(item)
            place = state.place(function, base)
            if place is None or kept.is_cell(place[1]) or item.text in told or not _steps(item):
                continue
            if place[0] is not None and not (specialised and state.guards(place[0])):
                continue
            if state.is_given(function, base) or state.tracers.guard(program.index, function, item.node, tracer=KIND):
                continue
            told.add(item.text)
            kinds = _kinds(state, place, keys) or _absent(item)
            if not kinds or kinds - {"int", "str"} or program.value(function, item.value).kinds & TENSOR:
                continue
            if not _anew(function, item):
                facts: dict[str, object] = {"what": min(kinds)}
                subject = item.text if isinstance(item.node, nodes.Call) else spelled(item.node)
                yield TracedSite(SinkKind.COMPILED_STATE, item.node, function, subject, {KIND: membership}, facts)


class _Item(NamedTuple):
    """One store of an item: the node, what holds it, its key, what it is set to, and the operator of `+=`."""

    node: Any
    container: Any
    key: Any
    value: Any
    op: str = ""

    @property
    def text(self) -> str:
        """The item as it is spelled where it is read."""
        return f"{self.container.as_string()}[{self.key.as_string()}]"


def _stores(function: FunctionInfo) -> Iterator[_Item]:
    """The items that a function sets: by assignments, and by `update`."""
    for node in loops.walk(function.node):
        if isinstance(node, (nodes.AugAssign, nodes.Assign)):
            target = node.target if isinstance(node, nodes.AugAssign) else node.targets[0]
            if isinstance(target, nodes.Subscript):
                op = node.op if isinstance(node, nodes.AugAssign) else ""
                yield _Item(target, target.value, target.slice, node.value, op)
        elif isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname == "update":
            given = [pair for a in node.args if isinstance(a, nodes.Dict) for pair in a.items]
            given += [(nodes.Const(k.arg), k.value) for k in node.keywords if k.arg]
            yield from (_Item(node, node.func.expr, key, value) for key, value in given)


def _chain(item: _Item) -> tuple[list[nodes.NodeNG], nodes.NodeNG]:
    """The keys of an item from the outermost on, and what holds the container."""
    keys, target = [item.key], item.container
    while isinstance(target, nodes.Subscript):
        keys.insert(0, target.slice)
        target = target.value
    return keys, target


def _steps(item: _Item) -> bool:
    """True when a store makes another number, or a longer string, out of the item itself."""
    value = item.value
    if any(isinstance(n.value, float) for n in value.nodes_of_class(nodes.Const)):
        return False
    if item.op:
        return item.op not in ("/=", "%=")
    if not isinstance(value, nodes.BinOp) or value.op in ("/", "%"):
        return False
    read = any(n.as_string() == item.text for n in value.nodes_of_class(nodes.Subscript))
    return read or next(_gets(item), None) is not None


def _gets(item: _Item) -> Iterator[nodes.Call]:
    """The calls of `get` in what an item is set to that read it."""
    for call in item.value.nodes_of_class(nodes.Call):
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname == "get" and call.args:
            if (func.expr.as_string(), call.args[0].as_string()) == (item.container.as_string(), item.key.as_string()):
                yield call


def _absent(item: _Item) -> set[str]:
    """The form that `get` gives for the item as long as there is none."""
    return {beginnings.form(call.args[1]) for call in _gets(item) if len(call.args) > 1}


def _kinds(state: State, place: Place, keys: list[nodes.NodeNG]) -> set[str]:
    """The forms that an item begins as, wherever its container is made; empty where one is not known."""
    found = [beginnings.item(value, keys) for value in state.beginnings(place) if value is not None]
    return set().union(*found) if found and all(found) else set()


def _anew(function: FunctionInfo, item: _Item) -> bool:
    """True when the function itself sets the item before, so that every call starts alike."""
    return any(
        other.node.lineno < item.node.lineno and other.text == item.text and not other.op for other in _stores(function)
    )
