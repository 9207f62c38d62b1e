"""Tensors that a region leaves beside its output (on attributes, in lists) and that reach a backward from there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.lattice import TENSOR
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.gradients import CUTS
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo


def side_output(origins: Origins, recomputes: Recomputes, backward: Backward, made: Recompute) -> str:
    """The attribute, or list, through which a tensor of the region reaches a backward beside the output; empty if
    there is none.
    """
    region = recomputes.reads(made)
    for function in region:
        if function.name == "__init__":
            continue
        abroad = function.module is not origins.program.index
        for holder, name, value in _kept(function):
            if abroad and holder is None:
                continue
            if _cut(value):
                continue
            kept = origins.value(Expr(function.module, function, value))
            if not (kept.kinds & TENSOR or (kept.elem is not None and kept.elem.kinds & TENSOR)):
                continue
            for reader in origins.program.index.functions:
                if reader in region or reader.name == "__init__":
                    continue
                for node in _attributes(reader, name) if holder is not None else _names(reader, function, name):
                    if abroad and not _owns(origins, reader, function, node):
                        continue
                    if holder is not None and _apart(origins, function, holder, reader, node):
                        continue
                    if backward.of(Expr(reader.module, reader, node)):
                        return name
    return ""


def _kept(function: FunctionInfo) -> Iterator[tuple[Any, str, Any]]:
    """What a function stores on attributes, in their items, or appends to them, with what holds each attribute; and
    what it does so with names from outside, which nothing holds (None).
    """
    for store in function.attribute_stores:
        if isinstance(store.parent, (nodes.Assign, nodes.AugAssign)):
            yield store.expr, store.attrname, store.parent.value
    for call in function.calls:
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname == "append" and call.args:
            yield from _held_by(function, func.expr, call.args[0])
    for assign in function.node.nodes_of_class(nodes.Assign, FUNCTIONS):
        for target in assign.targets:
            while isinstance(target, nodes.Subscript):
                target = target.value
            if target not in assign.targets:
                yield from _held_by(function, target, assign.value)
            elif isinstance(target, nodes.AssignName) and not _is_own(function, target.name):
                yield None, target.name, assign.value


def _held_by(function: FunctionInfo, kept: Any, value: Any) -> Iterator[tuple[Any, str, Any]]:
    if isinstance(kept, nodes.Attribute):
        yield kept.expr, kept.attrname, value
    elif isinstance(kept, nodes.Name) and not _is_own(function, kept.name):
        yield None, kept.name, value


def _apart(origins: Origins, writer: FunctionInfo, holder: Any, reader: FunctionInfo, node: Any) -> bool:
    """True when an attribute is read of an object of another class than the one it is stored on."""
    owners = [
        [r.cls for r in origins.value(Expr(f.module, f, n)).each if isinstance(r, Instance)]
        for f, n in ((writer, holder), (reader, node.expr))
    ]
    lines = [
        {c for o in own for c in (origins.program.analysis.resolver.mro(o) if isinstance(o, ClassInfo) else [o])}
        for own in owners
    ]
    return all(owners) and not (lines[0] & set(owners[1]) or lines[1] & set(owners[0]))


def _attributes(reader: FunctionInfo, name: str) -> Iterator[nodes.NodeNG]:
    for node in reader.node.nodes_of_class(nodes.Attribute):
        if node.attrname == name:
            yield node


def _cut(value: Any) -> bool:
    """True where a method in the chain that makes a value leaves the graph."""
    while isinstance(value, nodes.Call) and isinstance(value.func, nodes.Attribute):
        if value.func.attrname in CUTS:
            return True
        value = value.func.expr
    return False


def _owns(origins: Origins, reader: FunctionInfo, writer: FunctionInfo, node: Any) -> bool:
    """True when an attribute is read of an object of the class whose method, in another file, stores it."""
    classes = [r.cls for r in origins.value(Expr(reader.module, reader, node.expr)).each if isinstance(r, Instance)]
    return writer.cls is not None and any(
        isinstance(c, ClassInfo) and writer.cls in origins.program.analysis.resolver.mro(c) for c in classes
    )


def _names(reader: FunctionInfo, writer: FunctionInfo, name: str) -> Iterator[nodes.NodeNG]:
    """The reads of a name by a function that means the same variable as the one that fills it."""
    if _owner(reader, name) is not _owner(writer, name):
        return
    for node in reader.node.nodes_of_class(nodes.Name, skip_klass=FUNCTIONS):
        if node.name == name:
            yield node


def _is_own(function: FunctionInfo, name: str) -> bool:
    """True for a local, of which `nonlocal` and `global` say nothing."""
    return name in function.local_names and name not in function.declared_global | function.declared_nonlocal


def _owner(function: FunctionInfo, name: str) -> FunctionInfo | None:
    """The function whose local a name is; None for a module's."""
    up: FunctionInfo | None = function
    while up is not None and not _is_own(up, name):
        up = up.parent
    return up
