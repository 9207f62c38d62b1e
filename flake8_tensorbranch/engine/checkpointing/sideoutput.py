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
        for attribute, name, value in _kept(function):
            if abroad and not attribute:
                continue
            if _cut(value):
                continue
            kept = origins.value(Expr(function.module, function, value))
            if not (kept.kinds & TENSOR or (kept.elem is not None and kept.elem.kinds & TENSOR)):
                continue
            for reader in origins.program.index.functions:
                if reader in region or reader.name == "__init__":
                    continue
                for node in _attributes(reader, name) if attribute else _names(reader, function, name):
                    if abroad and not _owns(origins, reader, function, node):
                        continue
                    if backward.of(Expr(reader.module, reader, node)):
                        return name
    return ""


def _kept(function: FunctionInfo) -> Iterator[tuple[bool, str, Any]]:
    """What a function stores on attributes (True), or appends to lists that are attributes or names from outside."""
    for store in function.attribute_stores:
        if isinstance(store.parent, (nodes.Assign, nodes.AugAssign)):
            yield True, store.attrname, store.parent.value
    for call in function.calls:
        func = call.func
        if not (isinstance(func, nodes.Attribute) and func.attrname == "append" and call.args):
            continue
        if isinstance(func.expr, nodes.Attribute):
            yield True, func.expr.attrname, call.args[0]
        elif isinstance(func.expr, nodes.Name) and func.expr.name not in function.local_names:
            yield False, func.expr.name, call.args[0]


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


def _owner(function: FunctionInfo, name: str) -> FunctionInfo | None:
    """The function whose local a name is; None for a module's."""
    up: FunctionInfo | None = function
    while up is not None and (name not in up.local_names or name in up.declared_global):
        up = up.parent
    return up
