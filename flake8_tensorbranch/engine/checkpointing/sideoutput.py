"""Tensors that a region leaves beside its output (on attributes, in lists) and that reach a backward from there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import later
from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.hookoutput import Hook, Hooks
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.lattice import TENSOR
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.names import is_own, owner
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.containers import FILLS
from flake8_tensorbranch.knowledge.gradients import CUTS
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that a function leaves beside its result: on an attribute of `holder`, or under a name; `handed` where
    the name is a parameter, by which the function was given a list, dict or object to fill.
    """

    name: str
    value: Any
    holder: Any = None
    handed: bool = False


class SideOutputs:
    """What the regions of one program keep beside their results, and who differentiates it."""

    def __init__(self, origins: Origins, recomputes: Recomputes, backward: Backward) -> None:
        self.origins = origins
        self.recomputes = recomputes
        self.backward = backward
        self.hooks = Hooks(origins)
        self._kept: dict[tuple[FunctionInfo, ...], list[tuple[FunctionInfo, Kept]]] = {}
        self._differentiated: dict[tuple[FunctionInfo, ...], str] = {}

    def of(self, made: Recompute) -> str:
        """The attribute, or list, through which a tensor of the region reaches a loss beside the output; empty if
        there is none.
        """
        region = self.recomputes.reads(made)
        if made.functions not in self._kept:
            self._kept[made.functions] = list(self._find(region))
            self._differentiated[made.functions] = self._reaches_backward(region, self._kept[made.functions])
        name = self._read_after(made, region, self._kept[made.functions]) or self._differentiated[made.functions]
        if name:
            return name
        hooked = [
            (writer, kept)
            for hook in self.hooks.within(made, region)
            for own in _kept(hook.function)
            if hook.keeps(own.value) and not self._ends(hook.function, own)
            for writer, kept in _outside(hook, own)
            if hook.reaches(made, kept.name)
        ]
        return self._read_after(made, region, hooked) or self._reaches_backward(region, hooked) if hooked else ""

    def _ends(self, function: FunctionInfo, kept: Kept) -> bool:
        return without_grad(self.origins, Expr(function.module, function, kept.value), 0)

    def _read_after(self, made: Recompute, region: list[FunctionInfo], found: list[tuple[FunctionInfo, Kept]]) -> str:
        """The first name that is read, after a call, for a tensor that is computed then."""
        for function, kept in found:
            if kept.holder is None:
                read = later.used(self.origins, made, region, function, kept.name, kept.handed)
            else:
                read = any(
                    later.enters_after(self.origins, made, node, reader)
                    for reader in later.readers(self.origins, made, region)
                    for node in _read(self.origins, reader, function, kept)
                )
            if read:
                return kept.name
        return ""

    def _find(self, region: list[FunctionInfo]) -> Iterator[tuple[FunctionInfo, Kept]]:
        for function in region:
            if function.name == "__init__":
                continue
            abroad = function.module is not self.origins.program.index
            for kept in _kept(function):
                if _cut(kept.value) or (abroad and kept.holder is None and not kept.handed):
                    continue
                if _holds_tensor(self.origins, Expr(function.module, function, kept.value)):
                    yield function, kept

    def _reaches_backward(self, region: list[FunctionInfo], found: list[tuple[FunctionInfo, Kept]]) -> str:
        """The first name that a function outside of the region reads for a backward in the file."""
        for function, kept in found:
            for reader in self.origins.program.index.functions if not kept.handed else ():
                if reader in region or reader.name == "__init__":
                    continue
                for node in _read(self.origins, reader, function, kept):
                    if self.backward.of(Expr(reader.module, reader, node)):
                        return kept.name
        return ""


def _outside(hook: Hook, kept: Kept) -> Iterator[tuple[FunctionInfo, Kept]]:
    """What a hook keeps, as others know it: by a parameter that a `partial` binds, where that is set."""
    if not kept.handed:
        yield hook.function, kept
        return
    given, scope = hook.bound(kept.name), hook.call.scope
    if scope is not None and isinstance(given, nodes.Name):
        yield scope, replace(kept, name=given.name, handed=False)
    elif scope is not None and isinstance(given, nodes.Attribute):
        yield scope, replace(kept, name=given.attrname, holder=given.expr, handed=False)


def _holds_tensor(origins: Origins, value: Expr) -> bool:
    found = origins.value(value)
    tensor = bool(found.kinds & TENSOR) or (found.elem is not None and bool(found.elem.kinds & TENSOR))
    return tensor and not without_grad(origins, value, 0)


def _read(origins: Origins, reader: FunctionInfo | None, writer: FunctionInfo, kept: Kept) -> Iterator[nodes.NodeNG]:
    """Where a function reads what another one has kept."""
    if reader is None or reader.module is not origins.program.index:
        return
    abroad = writer.module is not origins.program.index
    for node in _attributes(reader, kept.name) if kept.holder is not None else _names(reader, writer, kept.name):
        if abroad and not _owns(origins, reader, writer, node):
            continue
        if kept.holder is None or not _apart(origins, writer, kept.holder, reader, node):
            yield node


def _kept(function: FunctionInfo) -> Iterator[Kept]:
    """What a function stores on attributes, in their items, or puts into them; and what it does so with names from
    outside and with parameters.
    """
    for store in function.attribute_stores:
        if isinstance(store.parent, (nodes.Assign, nodes.AugAssign)):
            yield Kept(store.attrname, store.parent.value, store.expr)
    for call in function.calls:
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname in FILLS:
            for value in _put(func.attrname, call):
                yield from _held_by(function, func.expr, value)
        elif isinstance(func, nodes.Name) and func.name == "setattr" and len(call.args) == 3:
            holder, name, value = call.args
            if isinstance(name, nodes.Const) and isinstance(name.value, str):
                yield Kept(name.value, value, holder)
    for assign in function.node.nodes_of_class((nodes.Assign, nodes.AugAssign), FUNCTIONS):
        for target in assign.targets if isinstance(assign, nodes.Assign) else [assign.target]:
            kept = target
            while isinstance(kept, nodes.Subscript):
                kept = kept.value
            if kept is not target:
                yield from _held_by(function, kept, assign.value)
            elif isinstance(target, nodes.AssignName) and not is_own(function, target.name):
                yield Kept(target.name, assign.value)
            elif isinstance(assign, nodes.AugAssign) and isinstance(assign.value, nodes.List):
                yield from _held_by(function, target, assign.value)


def _put(method: str, call: nodes.Call) -> list[Any]:
    """What a call of a container's method puts into it."""
    if method == "update":
        parts = [v for a in call.args if isinstance(a, nodes.Dict) for _, v in a.items]
        return parts + [k.value for k in call.keywords if k.arg]
    return list(call.args[-1:])


def _held_by(function: FunctionInfo, kept: Any, value: Any) -> Iterator[Kept]:
    if isinstance(kept, nodes.Attribute):
        yield Kept(kept.attrname, value, kept.expr)
    elif isinstance(kept, (nodes.Name, nodes.AssignName)):
        handed = any(p.name == kept.name for p in function.params)
        if handed or not is_own(function, kept.name):
            yield Kept(kept.name, value, handed=handed)


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
    if owner(reader, name) is not owner(writer, name):
        return
    for node in reader.node.nodes_of_class(nodes.Name, skip_klass=FUNCTIONS):
        if node.name == name:
            yield node
