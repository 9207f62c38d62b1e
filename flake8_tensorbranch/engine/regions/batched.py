"""Which values a `torch.vmap` maps over: those that come from a mapped argument, through names and calls."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.heirs import with_heirs
from flake8_tensorbranch.engine.inference.program import Program, functions_of
from flake8_tensorbranch.engine.lattice import NONE
from flake8_tensorbranch.engine.refs import Bound, Partial
from flake8_tensorbranch.engine.regions.abroad import Reached
from flake8_tensorbranch.engine.regions.region import Entry, Regions
from flake8_tensorbranch.knowledge.operations import APPLIES
from flake8_tensorbranch.knowledge.tensors import COUNTS, METADATA
from flake8_tensorbranch.syntax.binding import binder
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import FunctionInfo, last_name

KIND: Final = "vmapped"
_SOURCES: Final = (nodes.Assign, nodes.AnnAssign, nodes.AugAssign, nodes.NamedExpr)


class Batched:
    """The names of each function under vmap that hold mapped values.

    What is closed over, kept on a module or given with `in_dims` None is one value for the whole batch, and may decide
    (facts J: in vmap the mapped tensor is refused).
    """

    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.regions = regions

    def reads(self, function: FunctionInfo | None, node: nodes.NodeNG) -> bool:
        """True when an expression of the function reads a mapped value."""
        if function is None:
            return False
        return _mentions(node, self._names.get(function, set()))

    def made_of(self, function: FunctionInfo, node: nodes.NodeNG, name: str) -> bool:
        """The same, but for what one name of the function holds."""
        return _mentions(node, self._names.get(function, set()) - {name})

    def reads_beyond(self, there: Reached, node: nodes.NodeNG) -> bool:
        """True when an expression of a function of another file reads a mapped value that a call here hands on."""
        membership = there.regions[KIND]
        names = set() if there.scope is None else self._names.get(there.scope, set())
        functions = [*(s.caller for s in there.way if s.caller is not None), there.function]
        for call, function in zip((there.call, *(s.node for s in there.way)), functions, strict=True):
            if call is membership.entry.node:
                names = self._mapped(membership.entry, function)
            else:
                names = _passed(call, function, names) if isinstance(call, nodes.Call) else set()
            _spread(function, names)
        return _mentions(node, names)

    @cached_property
    def _names(self) -> dict[FunctionInfo, set[str]]:
        members = self.regions.members(KIND)
        names: dict[FunctionInfo, set[str]] = {function: set() for function in members}
        for entry, functions in self.regions.entries:
            if entry.kind == KIND:
                for function in functions:
                    if function in names:
                        names[function] |= self._mapped(entry, function)
        changed = True
        while changed:
            changed = False
            for function in members:
                before = len(names[function])
                up = function.parent
                if up in names:
                    names[function] |= names[up] & function.free
                _spread(function, names[function])
                changed = changed or len(names[function]) > before
                for node, callees in self.program.facts[function].calls.items():
                    for callee in with_heirs(self.program.analysis, callees):
                        if callee in names and isinstance(node, nodes.Call):
                            new = _passed(node, callee, names[function]) - names[callee]
                            names[callee] |= new
                            changed = changed or bool(new)
        return names

    def _mapped(self, entry: Entry, function: FunctionInfo) -> set[str]:
        """The parameters that a vmap maps over."""
        slots = [p.name for p in function.params if not p.keyword_only]
        if function.takes_self or function.is_classmethod:
            slots = slots[1:]
        node = entry.node
        in_dims: nodes.NodeNG | None = None
        if isinstance(node, nodes.Call):
            in_dims = next((k.value for k in node.keywords if k.arg == "in_dims"), None)
            if node.args and not _is_decorator(node):
                in_dims = node.args[1] if in_dims is None and len(node.args) > 1 else in_dims
                slots = self._unbound(entry, function, node.args[0], slots)
        apart: set[str] = set()
        if isinstance(in_dims, (nodes.Tuple, nodes.List)):
            dims = list(zip(slots, in_dims.elts, strict=False))
            slots = [n for n, d in dims if not _is_whole(d)]
            apart = {_part(n, key) for n, d in dims if n in slots for key, inner in _parts(d) if _is_whole(inner)}
        elif in_dims is not None:
            items = self.program.value(entry.scope, in_dims).items or ()
            left_out = {n for n, (_, dim) in zip(slots, items, strict=False) if dim.must(NONE)}
            slots = [n for n in slots if n not in left_out]
        extra = [function.vararg] if function.vararg is not None else []
        return {*slots, *extra, *apart} - self._by_keyword(entry)

    def _by_keyword(self, entry: Entry) -> set[str]:
        """What calls of the mapped function in its scope give by keyword: that is not mapped over (observed)."""
        node: Any = entry.node
        if not isinstance(node, nodes.Call):
            return set()
        calls = [node.parent] if isinstance(node.parent, nodes.Call) and node.parent.func is node else []
        bound = _bound_name(node)
        if bound:
            calls = [c for c in self.program.index.calls_in(entry.scope) if getattr(c.func, "name", "") == bound]
        given = [{k.arg for k in call.keywords if k.arg} for call in calls]
        return set.intersection(*given) if given else set()

    def _unbound(self, entry: Entry, function: FunctionInfo, given: nodes.NodeNG, slots: list[str]) -> list[str]:
        """The parameters that a partial leaves open."""
        for ref in self.program.value(entry.scope, given).each:
            if isinstance(ref, Partial) and function in functions_of(self.program.analysis, ref.function):
                named = {k for k, _ in ref.keywords}
                bound = any(isinstance(r, Bound) for r in ref.function.refs)
                taken = len(ref.args) - (1 if function.takes_self and not bound else 0)
                return [n for n in slots[max(taken, 0) :] if n not in named]
        return slots


def _bound_name(node: nodes.NodeNG) -> str:
    """The one name that a statement binds to an expression; empty for anything else."""
    statement = node.parent
    if not isinstance(statement, nodes.Assign) or len(statement.targets) != 1:
        return ""
    return str(getattr(statement.targets[0], "name", ""))


def _is_decorator(node: nodes.NodeNG) -> bool:
    return isinstance(node.parent, nodes.Decorators)


def _parts(dims: Any) -> list[tuple[object, Any]]:
    """The entries of a nested `in_dims`, each with its key: a dictionary's, or a position."""
    if isinstance(dims, nodes.Dict):
        return [(k.value, v) for k, v in dims.items if isinstance(k, nodes.Const)]
    return list(enumerate(dims.elts)) if isinstance(dims, (nodes.Tuple, nodes.List)) else []


def _is_whole(dims: Any) -> bool:
    """True for an entry of `in_dims` that maps over nothing: None, or a structure of such."""
    parts = _parts(dims)
    return (isinstance(dims, nodes.Const) and dims.value is None) or (
        bool(parts) and all(_is_whole(d) for _, d in parts)
    )


def _part(name: str, key: object) -> str:
    """How a set of names holds that one part of a mapped argument is not mapped."""
    return f"{name}[{key!r}]"


def _mentions(node: nodes.NodeNG, names: set[str]) -> bool:
    """True when a value of one of the names goes into an expression: its sizes are those of one element, and plain."""
    return any(n.name in names and not _is_apart(n, names) for n in node.nodes_of_class(nodes.Name))


def _is_apart(name: nodes.Name, names: set[str]) -> bool:
    up = name.parent
    if isinstance(up, nodes.Attribute):
        return up.attrname in METADATA or (up.attrname in COUNTS and isinstance(up.parent, nodes.Call))
    if isinstance(up, nodes.Call):
        return isinstance(up.func, nodes.Name) and up.func.name == "len" and name in up.args
    key = up.slice if isinstance(up, nodes.Subscript) and up.value is name else None
    return isinstance(key, nodes.Const) and _part(name.name, key.value) in names


def _spread(function: FunctionInfo, names: set[str]) -> None:
    """Add the locals that are computed from names already in the set."""
    again, loops = True, list(function.node.nodes_of_class(nodes.Comprehension, NESTED)) if names else []
    while again:
        again = False
        for name, bindings in function.local_names.items():
            if name not in names and any(_made_of(b, names) for b in bindings):
                names.add(name)
                again = True
        for loop in loops:
            found = {n.name for n in loop.target.nodes_of_class(nodes.AssignName)}
            if not found <= names and _mentions(loop.iter, names):
                names |= found
                again = True


def _made_of(bound: nodes.NodeNG, names: set[str]) -> bool:
    """True when a binding gets its value from an expression that mentions one of the names."""
    up = binder(bound)
    if isinstance(up, nodes.Assign) and isinstance(up.value, nodes.Name) and isinstance(bound.parent, nodes.Tuple):
        position = bound.parent.elts.index(bound)
        return up.value.name in names and _part(up.value.name, position) not in names
    if isinstance(up, _SOURCES):
        return up.value is not None and _mentions(up.value, names)
    if isinstance(up, (nodes.For, nodes.Comprehension)):
        return _mentions(up.iter, names)
    if isinstance(up, nodes.With):
        return any(_mentions(e, names) for e, _ in up.items)
    return False


def _passed(call: nodes.Call, callee: FunctionInfo, names: set[str]) -> set[str]:
    """The callee's parameters that get an expression which mentions one of the names."""
    slots = [p.name for p in callee.params]
    found: set[str] = set()
    if last_name(call.func) in APPLIES:
        return set(slots) if any(_mentions(argument, names) for argument in call.args[1:]) else set()
    if callee.takes_self or callee.is_classmethod:
        if _mentions(call.func, names):
            found.add(slots[0])
        slots = slots[1:]
    for position, argument in enumerate(call.args):
        if _mentions(argument, names):
            if isinstance(argument, nodes.Starred):
                found.update([*slots[position:], *([callee.vararg] if callee.vararg is not None else [])])
            elif position < len(slots):
                found.add(slots[position])
            elif callee.vararg is not None:
                found.add(callee.vararg)
    for keyword in call.keywords:
        if _mentions(keyword.value, names):
            name = keyword.arg if keyword.arg in slots else callee.kwarg
            if name is not None:
                found.add(name)
    return found
