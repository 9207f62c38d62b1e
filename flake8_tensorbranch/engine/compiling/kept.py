"""State that functions keep: their own attributes, and the lists and dicts of the functions around them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.compiling.beginnings import form
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.refs import Bound
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

_ATTRIBUTE: Final = "()."  # between a function and its attribute, where a place has no class
_CELL: Final = "(),"  # between a function and a name that a function in it reads


def attribute(function: FunctionInfo, name: str) -> str:
    """The name of the place that is an attribute of a function."""
    return f"{function.qualname}{_ATTRIBUTE}{name}"


def cell(function: FunctionInfo, name: str) -> str:
    """The name of the place that is a local of a function, for the functions inside of it."""
    return f"{function.qualname}{_CELL}{name}"


def is_attribute(place: str) -> bool:
    """True for an attribute of a function."""
    return _ATTRIBUTE in place


def is_kept(place: str) -> bool:
    """True for the name of one of these places."""
    return _ATTRIBUTE in place or _CELL in place


def is_cell(place: str) -> bool:
    """True for a local that functions inside of its function read."""
    return _CELL in place


def is_of(place: str, function: FunctionInfo) -> bool:
    """True for a local of this very function."""
    return place.startswith(cell(function, ""))


def is_lent(function: FunctionInfo, name: str, readers: Collection[FunctionInfo]) -> bool:
    """True for a local that is bound once, outside of loops, and that one of the `readers` defined in it reads."""
    bound = function.local_names.get(name, ())
    if len(bound) != 1 or not isinstance(bound[0], nodes.AssignName) or next(loops.around(bound[0]), None) is not None:
        return False
    return any(inner in readers and name in inner.free for inner in function.nested)


def function_of(program: Program, scope: FunctionInfo | None, node: nodes.NodeNG) -> FunctionInfo | None:
    """The function of the file that an expression names; None where it is none, or may be another."""
    if not isinstance(node, (nodes.Name, nodes.Attribute)):
        return None
    refs = program.value(scope, node).each
    found = [r if type(r) is FunctionInfo else r.function if type(r) is Bound else None for r in refs]
    if not found and isinstance(node, nodes.Name):
        target = program.analysis.resolver.name(program.index, node.name)
        found = [target if isinstance(target, FunctionInfo) else None]
    one = found[0] if len(found) == 1 else None
    if one is None or one.module is not program.index or one.decorator_names:
        return None  # what a decorator made of it is another object
    return one


def by_default(program: Program, function: FunctionInfo, name: str) -> bool:
    """True for a parameter with a new list or dict as its default, which is made once, where no call of the file gives
    another one.
    """
    position, param = next(((i, p) for i, p in enumerate(function.params) if p.name == name), (0, None))
    if param is None or param.default is None or len(function.local_names.get(name, ())) != 1:
        return False
    if form(param.default) != "length":
        return False
    calls = [n for facts in program.facts.values() for n, callees in facts.calls.items() if function in callees]
    return not any(_gives(call, position, name) for call in calls)


def _gives(call: nodes.NodeNG, position: int, name: str) -> bool:
    if not isinstance(call, nodes.Call):
        return True
    unpacked = any(isinstance(a, nodes.Starred) for a in call.args)
    return unpacked or len(call.args) > position or any(k.arg in (name, None) for k in call.keywords)


def bound(index: ModuleIndex, place: str) -> Iterator[nodes.NodeNG | None]:
    """What the local is bound to that a place stands for."""
    qualname, _, name = place.partition(_CELL)
    for function in index.functions if name else ():
        if function.qualname == qualname:
            yield from (p.default for p in function.params if p.name == name)
            yield from (
                assigned(b) if isinstance(b, nodes.AssignName) else None for b in function.local_names.get(name, ())
            )
