"""How often one step of a model runs one of its modules, which the attributes that lead to it name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.leaving import leaves
from flake8_tensorbranch.engine.checkpointing.ownlayers import apart
from flake8_tensorbranch.engine.checkpointing.paths import EACH, Path, differ, leads, rooted
from flake8_tensorbranch.engine.lattice import AbstractValue, element
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.lookup.rounds import once
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.modules import IN_ORDER, PARAMETER_NAMES
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

_DEPTH: Final = 5
_MOST: Final = 400  # places below one class, all levels together: each is followed through every forward above it
_Way = tuple[nodes.Call, Path, tuple[nodes.NodeNG, ...]]


@dataclass(frozen=True, slots=True)
class _Use:
    """A call that runs the module at a path: the path that it names, and how often; `some` where a test may pass over
    elements of the list that it names.
    """

    node: nodes.Call
    at: Path
    times: int
    some: bool


class PerStep:
    """Follows the forwards of the project's classes; every question is answered once."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.analysis = origins.program.analysis
        self.resolver = origins.program.analysis.resolver
        self._held: dict[ClassInfo, list[tuple[Path, ClassInfo | str]]] = {}
        self._ways: dict[FunctionInfo, list[_Way]] = {}
        self._read: dict[FunctionInfo, list[Path]] = {}
        self._counted: dict[tuple[ClassInfo, FunctionInfo, Path, int], int] = {}

    def again(self, cls: ClassInfo, path: Path) -> str:
        """How one forward of a class runs the module at a path more than once: `twice`, or its parameters are read
        `outside` of it; else empty.
        """
        forward = self.resolver.method(cls, "forward")
        if forward is None or not path:
            return ""
        return {2: "twice", 3: "outside"}.get(self._times(cls, forward, path, _DEPTH), "")

    def places(self, cls: ClassInfo, forwards: Collection[FunctionInfo], names: Collection[str] = ()) -> list[Path]:
        """The paths to the modules below one of a class whose forward is one of these, or whose class a library has
        under one of these names; none where there are more than are followed.
        """
        known: dict[tuple[ClassInfo, int], list[Path] | None] = {}

        def below(cls: ClassInfo, depth: int) -> list[Path] | None:
            if (cls, depth) not in known:
                known[cls, depth] = found = []
                for path, inner in self.held(cls):
                    if isinstance(inner, str):
                        found.extend([path] if inner in names else [])
                    elif self.resolver.method(inner, "forward") in forwards:
                        found.append(path)
                    elif depth > 0 and inner is not cls:
                        deeper = below(inner, depth - 1)
                        if deeper is None or len(found) + len(deeper) > _MOST:
                            known[cls, depth] = None
                            break
                        found.extend((*path, *rest) for rest in deeper)
            return known[cls, depth]

        paths = dict.fromkeys(below(cls, _DEPTH) or [])
        return list(paths) if len(paths) <= _MOST else []

    def held(self, cls: ClassInfo) -> list[tuple[Path, ClassInfo | str]]:
        """The classes of what the attributes of a class hold, and of what the lists in them hold, by the way there."""
        if cls not in self._held:
            names = [n for base in self.resolver.lineage(cls) for n in base.stores]
            kept = {name: self.analysis.attribute(cls, name, self.analysis.instance_of(cls)) for name in names}
            ways = ((p, v) for n, own in kept.items() for p, v in (((n,), own), ((n, EACH), element(own))))
            self._held[cls] = [(p, r.cls) for p, v in ways for r in v.each if isinstance(r, Instance)]
        return self._held[cls]

    def _times(self, cls: ClassInfo, function: FunctionInfo, path: Path, depth: int) -> int:
        """How often a method runs the module at a path: 0, 1, 2 for more, 3 where its parameters are read besides."""
        if depth <= 0:
            return 0
        key = (cls, function, path, depth)
        if key not in self._counted:
            self._counted[key] = self._count(cls, function, path, depth)
        return self._counted[key]

    def _count(self, cls: ClassInfo, function: FunctionInfo, path: Path, depth: int) -> int:
        found: list[_Use] = []
        for use in self._uses(cls, function, path, depth):
            here = Expr(function.module, function, use.node)
            if without_grad(self.origins, here) or (isinstance(use.node.parent, nodes.Attribute) and leaves(here)):
                continue
            if use.times > 1:
                return use.times
            for other in found:
                same = not differ(other.at, use.at) and not (other.some or use.some)
                if same and not apart(other.node, use.node):
                    return 2
            found.append(use)
        if not found:
            return 0
        return 3 if any(len(at) >= len(path) and leads(at[: len(path)], path) for at in self._reads(function)) else 1

    def _uses(self, cls: ClassInfo, function: FunctionInfo, path: Path, depth: int) -> Iterator[_Use]:
        """The calls of a method that run the module at a path, and how often each does."""
        for call, at, chosen in self._calls(function):
            own = self._method(cls, function, call)
            times = 0
            if own is not None:
                times = self._times(cls, own, path, depth - 1)
            elif at and leads(at, path):
                value = self.origins.value(Expr(function.module, function, call.func))
                times = self._inside(value, path[len(at) :], depth - 1)
            if times:
                around = list(loops.around(call))
                repeats = any(loop not in chosen and not once(call, loop) for loop in around)
                some = any(loop in chosen and once(call, loop) for loop in around)
                yield _Use(call, () if own is not None else at, 2 if repeats and times == 1 else times, some)

    def _calls(self, function: FunctionInfo) -> list[_Way]:
        """The calls of a function, with the path to what each calls and the loops that choose it."""
        if function not in self._ways:
            self._ways[function] = [
                (call, *self.path(Expr(function.module, function, call.func))) for call in function.calls
            ]
        return self._ways[function]

    def _inside(self, value: AbstractValue, rest: Path, depth: int) -> int:
        """How often a call of a module runs the one that the rest of a path leads to."""
        if not rest:
            return 1
        classes = [r.cls for r in value.each if isinstance(r, Instance)]
        for cls in classes:
            forward = self.resolver.method(cls, "forward") if isinstance(cls, ClassInfo) else None
            if isinstance(cls, ClassInfo) and forward is not None:
                return self._times(cls, forward, rest, depth)
        return self._inside(element(value), rest[1:], depth) if any(c in IN_ORDER for c in classes) else 0

    def _method(self, cls: ClassInfo, function: FunctionInfo, call: nodes.Call) -> FunctionInfo | None:
        """The method of the same object that a call runs."""
        func: Any = call.func
        if not isinstance(func, nodes.Attribute) or not function.params:
            return None
        if isinstance(func.expr, nodes.Name) and func.expr.name == function.params[0].name:
            return self.resolver.method(cls, func.attrname)
        above = isinstance(func.expr, nodes.Call) and dotted(func.expr.func) == "super"
        return self.resolver.method(cls, func.attrname, after=function.cls) if above and function.cls else None

    def _reads(self, function: FunctionInfo) -> list[Path]:
        """The paths to the modules whose parameters a method reads with their gradients."""
        if function not in self._read:
            self._read[function] = found = []
            for node in loops.inside(function):
                if isinstance(node, nodes.Attribute) and node.attrname in PARAMETER_NAMES:
                    at, _ = self.path(Expr(function.module, function, node.expr))
                    here = Expr(function.module, function, node)
                    if at and not leaves(here) and not without_grad(self.origins, here):
                        found.append(at)
        return self._read[function]

    def path(self, expr: Expr) -> tuple[Path, tuple[nodes.NodeNG, ...]]:
        """The path from the object of a method, or from any name, that an expression reads, without the name; and the
        loops that choose what is at it. Empty where it is another.
        """
        name, path, chosen = rooted(expr)
        scope = expr.scope
        if name is None or scope is None or not scope.takes_self or not scope.params:
            return (), ()
        return (path, chosen) if name.name == scope.params[0].name else ((), ())
