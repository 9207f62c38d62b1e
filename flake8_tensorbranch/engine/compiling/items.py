"""Items of containers that a compiled function counts up: a dict or list of a module, or of the file's globals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.compiling import beginnings
from flake8_tensorbranch.engine.compiling.compile_state import KIND, Place, State
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
        for statement, target in _stores(function):
            keys, base = _chain(target)
            place = state.place(function, base)
            name = target.as_string()
            if place is None or name in told or not _steps(statement, target):
                continue
            if place[0] is not None and not (specialised and state.guards(place[0])):
                continue
            if state.is_given(function, base) or state.tracers.guard(program.index, function, target):
                continue
            told.add(name)
            kinds = _kinds(state, place, keys) or _absent(statement, target)
            if not kinds or kinds - {"int", "str"} or program.value(function, statement.value).kinds & TENSOR:
                continue
            if not _anew(function, statement, name):
                facts: dict[str, object] = {"what": min(kinds)}
                subject = spelled(target)
                yield TracedSite(SinkKind.COMPILED_STATE, target, function, subject, {KIND: membership}, facts)


def _stores(function: FunctionInfo) -> Iterator[tuple[Any, nodes.Subscript]]:
    """The assignments to items in a function, with the item."""
    for node in loops.walk(function.node):
        if isinstance(node, nodes.AugAssign) and isinstance(node.target, nodes.Subscript):
            yield node, node.target
        elif isinstance(node, nodes.Assign) and isinstance(node.targets[0], nodes.Subscript):
            yield node, node.targets[0]


def _chain(target: nodes.NodeNG) -> tuple[list[nodes.NodeNG], nodes.NodeNG]:
    """The keys of an item from the outermost on, and what holds the container."""
    keys: list[nodes.NodeNG] = []
    while isinstance(target, nodes.Subscript):
        keys.insert(0, target.slice)
        target = target.value
    return keys, target


def _steps(statement: Any, target: nodes.Subscript) -> bool:
    """True when an assignment makes another number, or a longer string, out of the item itself."""
    value = statement.value
    if any(isinstance(n.value, float) for n in value.nodes_of_class(nodes.Const)):
        return False
    if isinstance(statement, nodes.AugAssign):
        return statement.op not in ("/=", "%=")
    if not isinstance(value, nodes.BinOp) or value.op in ("/", "%"):
        return False
    name = target.as_string()
    read = any(n.as_string() == name for n in value.nodes_of_class(nodes.Subscript))
    return read or next(_gets(value, target), None) is not None


def _gets(value: nodes.NodeNG, target: nodes.Subscript) -> Iterator[nodes.Call]:
    """The calls of `get` in a value that read an item."""
    for call in value.nodes_of_class(nodes.Call):
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname == "get" and call.args:
            if (func.expr.as_string(), call.args[0].as_string()) == (
                target.value.as_string(),
                target.slice.as_string(),
            ):
                yield call


def _absent(statement: Any, target: nodes.Subscript) -> set[str]:
    """The form that `get` gives for the item as long as there is none."""
    gets = list(_gets(statement.value, target))
    return {beginnings.form(call.args[1]) for call in gets if len(call.args) > 1}


def _kinds(state: State, place: Place, keys: list[nodes.NodeNG]) -> set[str]:
    """The forms that an item begins as, wherever its container is made; empty where one is not known."""
    found = [beginnings.item(value, keys) for value in state.beginnings(place) if value is not None]
    return set().union(*found) if found and all(found) else set()


def _anew(function: FunctionInfo, statement: Any, name: str) -> bool:
    """True when the function itself sets the item before, so that every call starts alike."""
    return any(
        other.lineno < statement.lineno and target.as_string() == name and isinstance(other, nodes.Assign)
        for other, target in _stores(function)
    )
