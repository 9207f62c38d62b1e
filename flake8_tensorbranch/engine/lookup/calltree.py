"""What a function's run leads to: the functions it reaches, through calls, in this file and others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import UNKNOWN
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

MOST: Final = 120


Step = tuple[FunctionInfo, ClassInfo | None]
"""A function that is reached, and the class of its object where methods of that stand in others' places."""


class CallTree:
    """Reachability over call edges, asked lazily and bounded."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._steps: dict[Step, tuple[Step, ...]] = {}
        self._based: set[ClassInfo] | None = None

    def reached(self, function: FunctionInfo) -> tuple[FunctionInfo, ...]:
        """The function and all it may call, nearest first."""
        return tuple(dict.fromkeys(f for f, _ in self.steps(function)))

    def steps(self, function: FunctionInfo, cls: ClassInfo | None = None) -> tuple[Step, ...]:
        """The same, methods of an object's class in the place of those of its bases, each with the class that matters:
        `cls` is that of the function's own object.
        """
        known = self._steps.get((function, cls))
        if known is None:
            order = [(function, cls)]
            seen = dict.fromkeys(order)
            for current, own in order:
                if len(order) > MOST:
                    break
                facts = self.origins.facts(current.module, current)
                for node, callees in facts.calls.items():
                    for callee in callees:
                        for step in self._dispatched(facts, node, callee, current, own):
                            if step not in seen:
                                seen[step] = None
                                order.append(step)
            known = self._steps[function, cls] = tuple(order)
        return known

    def _dispatched(
        self, facts: Facts, node: Any, callee: FunctionInfo, current: FunctionInfo, own: ClassInfo | None
    ) -> Iterator[Step]:
        """A callee, or the method of the object's class in its place, with the class where it matters; and what stands
        in its place by a decorator, which runs first.
        """
        cls = None
        if callee.cls is not None and callee.cls in self._bases():
            func = getattr(node, "func", None)
            holder = func.expr if isinstance(func, nodes.Attribute) else None
            on_self = current.takes_self and getattr(holder, "name", None) == current.params[0].name
            cls = own if on_self else self.class_of(facts, func, callee)
            if cls is not None:
                callee = self.origins.program.analysis.resolver.method(cls, callee.name) or callee
        yield callee, cls
        for instead in (*(w for _, _, w in self.origins.wrapped(callee)), *self.origins.called_instead(callee)):
            yield instead, None

    def class_of(self, facts: Facts, func: Any, callee: FunctionInfo) -> ClassInfo | None:
        """The one class that an object is of by whose call a method is entered; None where it may be of several."""
        if callee.cls is None or callee.cls not in self._bases():
            return None
        named = func.expr if isinstance(func, nodes.Attribute) and callee.name not in ("forward", "__call__") else func
        classes = [r.cls for r in facts.values.get(named, UNKNOWN).each if isinstance(r, Instance)]
        return classes[0] if len(classes) == 1 and isinstance(classes[0], ClassInfo) else None

    def _bases(self) -> set[ClassInfo]:
        """The classes that others of the file are derived from."""
        if self._based is None:
            index, mro = self.origins.program.index, self.origins.program.analysis.resolver.mro
            self._based = {b for c in index.classes if c.bases for b in mro(c)[1:] if isinstance(b, ClassInfo)}
        return self._based

    def calls(self, function: FunctionInfo) -> Iterator[Expr]:
        """Every call that a run of the function may make, in itself and in what it reaches."""
        for current in self.reached(function):
            for node in current.calls:
                yield Expr(current.module, current, node)


def tree_of(origins: Origins) -> CallTree:
    """The program's one tree."""
    if CallTree not in origins.memo:
        origins.memo[CallTree] = CallTree(origins)
    return cast("CallTree", origins.memo[CallTree])
