"""How often one step of a model runs one of its modules, which the attributes that lead to it name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.ownlayers import apart
from flake8_tensorbranch.engine.lattice import AbstractValue, element
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.gradients import LEAVES_THE_GRAPH
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

Path = tuple[str, ...]
"""Attributes and constant indices, from a module to one in it."""

EACH: Final = "*"
"""The step of a path to every element of a list of modules."""

_PARAMETERS: Final = ("weight", "bias")
_DEPTH: Final = 5
_STEPS: Final = 10
_MOST: Final = 40  # places below one model
_Use = tuple[nodes.NodeNG, Path]
Rooted = tuple[nodes.Name | None, Path, tuple[nodes.NodeNG, ...]]
_NO_PATH: Final[Rooted] = (None, (), ())


class PerStep:
    """Follows the forwards of the project's classes."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.analysis = origins.program.analysis
        self.resolver = origins.program.analysis.resolver

    def again(self, cls: ClassInfo, path: Path) -> str:
        """How one forward of a class runs the module at a path more than once: `twice`, or its parameters are read
        `outside` of it; else empty.
        """
        forward = self.resolver.method(cls, "forward")
        if forward is None or not path:
            return ""
        return {2: "twice", 3: "outside"}.get(self._times(cls, forward, path, _DEPTH), "")

    def places(self, cls: ClassInfo, forwards: Collection[FunctionInfo], depth: int = _DEPTH) -> Iterator[Path]:
        """The paths to the modules below one of a class whose forward is one of these."""
        names = [n for base in self.resolver.mro(cls) if isinstance(base, ClassInfo) for n in base.stores]
        for name in list(dict.fromkeys(names))[:_MOST]:
            kept = self.analysis.attribute(cls, name, self.analysis.instance_of(cls))
            for path, value in (((name,), kept), ((name, EACH), element(kept))):
                for inner in _classes(value):
                    if self.resolver.method(inner, "forward") in forwards:
                        yield path
                    elif depth > 0 and inner is not cls:
                        yield from ((*path, *rest) for rest in self.places(inner, forwards, depth - 1))

    def _times(self, cls: ClassInfo, function: FunctionInfo, path: Path, depth: int) -> int:
        """How often a method runs the module at a path: 0, 1, 2 for more, 3 where its parameters are read besides."""
        if depth <= 0:
            return 0
        found: list[tuple[_Use, int]] = []
        for use, times in self._uses(cls, function, path, depth):
            if without_grad(self.origins, Expr(function.module, function, use[0])):
                continue
            if times > 1:
                return times
            for (other, at), _ in found:
                if not _differ(at, use[1]) and not apart(other, use[0]):
                    return 2
            found.append((use, times))
        if not found:
            return 0
        return 3 if any(self._reads(function, path)) else 1

    def _uses(self, cls: ClassInfo, function: FunctionInfo, path: Path, depth: int) -> Iterator[tuple[_Use, int]]:
        """The calls of a method that run the module at a path, and how often each does."""
        for call in function.calls:
            own = self._method(cls, function, call)
            at: Path = ()
            chosen: tuple[nodes.NodeNG, ...] = ()
            times = 0
            if own is not None:
                times = self._times(cls, own, path, depth - 1)
            else:
                at, chosen = self.path(Expr(function.module, function, call.func))
            if at and _leads(at, path):
                value = self.origins.value(Expr(function.module, function, call.func))
                times = self._inside(value, path[len(at) :], depth - 1)
            if times:
                repeats = any(loop not in chosen for loop in loops.around(call))
                yield (call, at), 2 if repeats and times == 1 else times

    def _inside(self, value: AbstractValue, rest: Path, depth: int) -> int:
        """How often a call of a module runs the one that the rest of a path leads to."""
        if not rest:
            return 1
        for cls in _classes(value):
            forward = self.resolver.method(cls, "forward")
            if forward is not None:
                return self._times(cls, forward, rest, depth)
        if any(isinstance(r, Instance) and str(r.cls).endswith(".Sequential") for r in value.each):
            return self._inside(element(value), rest[1:], depth)
        return 0

    def _method(self, cls: ClassInfo, function: FunctionInfo, call: nodes.Call) -> FunctionInfo | None:
        """The method of the same object that a call runs."""
        func: Any = call.func
        if not isinstance(func, nodes.Attribute) or not function.params:
            return None
        if isinstance(func.expr, nodes.Name) and func.expr.name == function.params[0].name:
            return self.resolver.method(cls, func.attrname)
        above = isinstance(func.expr, nodes.Call) and dotted(func.expr.func) == "super"
        return self.resolver.method(cls, func.attrname, after=function.cls) if above and function.cls else None

    def _reads(self, function: FunctionInfo, path: Path) -> Iterator[nodes.NodeNG]:
        """Where a method reads a parameter of the module at a path, or of one in it, with its gradient."""
        for node in loops.inside(function):
            if isinstance(node, nodes.Attribute) and node.attrname in _PARAMETERS:
                at, _ = self.path(Expr(function.module, function, node.expr))
                up = node.parent
                leaves = isinstance(up, nodes.Attribute) and up.attrname in LEAVES_THE_GRAPH
                if len(at) >= len(path) and _leads(at[: len(path)], path) and not leaves:
                    if not without_grad(self.origins, Expr(function.module, function, node)):
                        yield node

    def path(self, expr: Expr) -> tuple[Path, tuple[nodes.NodeNG, ...]]:
        """The path from the object of a method, or from any name, that an expression reads, without the name; and the
        loops that choose what is at it. Empty where it is another.
        """
        name, path, chosen = rooted(expr)
        scope = expr.scope
        if name is None or scope is None or not scope.takes_self or not scope.params:
            return (), ()
        return (path, chosen) if name.name == scope.params[0].name else ((), ())


def rooted(expr: Expr, depth: int = _STEPS) -> Rooted:
    """The name that a path begins with, through loops over its lists and names bound once; its steps; and the loops
    that choose among them. No name where an expression is no path.
    """
    node: Any = expr.node
    if depth <= 0:
        return _NO_PATH
    if isinstance(node, (nodes.Attribute, nodes.AssignAttr)):
        return _below(rooted(replace(expr, node=node.expr), depth - 1), node.attrname)
    if isinstance(node, nodes.Subscript):
        held = rooted(replace(expr, node=node.value), depth - 1)
        if isinstance(node.slice, nodes.Const):
            return _below(held, str(node.slice.value))
        index: Any = node.slice
        loop = binding(index)
        over = rooted(replace(expr, node=_indexed(loop, index.name)), depth - 1) if loop is not None else _NO_PATH
        same = held[0] is not None and over[0] is not None and (held[0].name, held[1]) == (over[0].name, over[1])
        return _below(held, EACH, loop) if same else _NO_PATH
    if not isinstance(node, nodes.Name):
        return _NO_PATH
    loop = binding(node)
    if loop is not None:
        return _below(rooted(replace(expr, node=_iterated(loop)), depth - 1), EACH, loop)
    bound: Any = expr.scope.local_names.get(node.name, ()) if expr.scope is not None else ()
    value = getattr(bound[0].parent, "value", None) if len(bound) == 1 else None
    behind = isinstance(value, (nodes.Attribute, nodes.Subscript))
    found = rooted(replace(expr, node=value), depth - 1) if behind else _NO_PATH
    return (node, (), ()) if found[0] is None else found


def _below(held: Rooted, step: str, *chosen: nodes.NodeNG) -> Rooted:
    name, path, loops_ = held
    return _NO_PATH if name is None else (name, (*path, step), (*loops_, *chosen))


def binding(name: Any) -> Any:
    """The loop around a name that binds it to a new element in every round; None where there is none."""
    around = loops.around(name) if isinstance(name, nodes.Name) else ()
    return next((loop for loop in around if name.name in loops.targets(loop)), None)


def _indexed(loop: Any, name: str) -> Any:
    """The list whose indices a loop goes through by a name: `for i, x in enumerate(l)`, `for i in range(len(l))`."""
    target: Any = loop.target
    over: Any = loop.iter
    if _calls(over, "enumerate"):
        counted = isinstance(target, nodes.Tuple) and _is_name(target.elts[0], name)
        return over.args[0] if counted and over.args else None
    measured: Any = over.args[0] if _calls(over, "range") and len(over.args) == 1 else None
    return measured.args[0] if _calls(measured, "len") and measured.args and _is_name(target, name) else None


def _iterated(loop: Any) -> Any:
    """The list that a loop goes over, by itself or counted; None for any other loop."""
    target: Any = loop.target
    over: Any = loop.iter
    if _calls(over, "enumerate"):
        counted = isinstance(target, nodes.Tuple) and len(target.elts) == 2 and bool(over.args)
        return over.args[0] if counted else None
    return over if isinstance(target, nodes.AssignName) else None


def _calls(node: Any, name: str) -> bool:
    return isinstance(node, nodes.Call) and _is_name(node.func, name)


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, (nodes.Name, nodes.AssignName)) and node.name == name


def _classes(value: AbstractValue) -> list[ClassInfo]:
    return [r.cls for r in value.each if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)]


def _leads(at: Path, path: Path) -> bool:
    """True for a path that another one begins with, elements of lists counting as each other's."""
    return len(at) <= len(path) and all(a == b or EACH in (a, b) for a, b in zip(at, path, strict=False))


def _differ(one: Path, other: Path) -> bool:
    """True for two paths that lead to different modules."""
    return any(a != b and EACH not in (a, b) for a, b in zip(one, other, strict=False))
