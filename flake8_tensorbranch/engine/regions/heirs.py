"""Methods of subclasses that run in a region in the place of those that it calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.heirs import subclasses
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import DATA, SHAPE, TENSOR, UNKNOWN
from flake8_tensorbranch.engine.lookup.guards import for_error
from flake8_tensorbranch.engine.refs import Bound, Instance
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

Entered = tuple[FunctionInfo, nodes.NodeNG, FunctionInfo]
"""A member of a region, a call in it, and a function that the call enters."""


def hooks(scope: FunctionInfo | None, facts: Facts, subject: nodes.NodeNG) -> Iterable[FunctionInfo]:
    """The methods of subclasses that alone make a test depend on tensors, in the place of one of the base that answers
    the same whatever it is given.
    """
    found: dict[FunctionInfo, None] = {}
    for part in (
        (subject.left, *(operand[1] for operand in subject.ops)) if isinstance(subject, nodes.Compare) else (subject,)
    ):
        value = facts.values.get(part, UNKNOWN)
        if not value.kinds & TENSOR and not value.deps & (DATA | SHAPE):
            continue
        bound: list[Any] = []
        if scope is not None and isinstance(part, nodes.Name):
            bound = scope.local_names.get(part.name, bound)
        call = assigned(bound[0]) if len(bound) == 1 else part
        if call not in facts.hooks:
            return ()
        found.update(facts.hooks[call])
    return found


class Heirs:
    """The classes of a file with a base in the project, and which of them have objects in the regions of a kind."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.subclasses = subclasses(program.analysis, program.index)
        self._running: dict[str, dict[ClassInfo, None]] = {}
        self._called: dict[str, dict[FunctionInfo, tuple[FunctionInfo, nodes.NodeNG]]] = {}
        self._places: dict[FunctionInfo, dict[ClassInfo, FunctionInfo]] = {}

    def begin(
        self, kind: str, scope: FunctionInfo | None, node: nodes.NodeNG | None, functions: Iterable[FunctionInfo]
    ) -> None:
        """Note the objects that the call which begins a region calls or is given.

        Where a method makes a region of another one of its object, that may be an object of each subclass that
        inherits the method.
        """
        if not self.subclasses:
            return
        running = self._running.setdefault(kind, {})
        running.update(dict.fromkeys(self._instances(scope, node)))
        for function in functions:
            own = function if node is not None and isinstance(node.parent, nodes.Decorators) else scope
            owner = None if own is None else own.cls
            if owner in self.subclasses and own is not None and owner is not None:
                if function.cls in self.program.analysis.resolver.mro(owner):
                    running.update((cls, None) for cls in self.subclasses[owner] if own.name not in cls.methods)

    def entered(
        self, kind: str, caller: FunctionInfo, node: nodes.NodeNG, callees: Iterable[FunctionInfo]
    ) -> Iterator[Entered]:
        """What a call of a member enters: its callees, and the methods in their place in subclasses whose objects, or
        other methods, run in regions of the kind; and what earlier calls enter by the objects that it brings.
        """
        running = self._running.setdefault(kind, {})
        called = self._called.setdefault(kind, {})
        for callee in callees:
            yield caller, node, callee
            places = self._in_place(callee) if callee.cls in self.subclasses else None
            if places and callee not in called and not for_error(node):
                called[callee] = (caller, node)
                yield from ((caller, node, method) for cls, method in places.items() if cls in running)
        if self.subclasses:
            for cls in self._instances(caller, node):
                yield from self._met(kind, cls)

    def joined(self, kind: str, member: FunctionInfo) -> Iterator[Entered]:
        """What earlier calls enter now that a method of its class runs in a region of the kind."""
        if member.cls is not None and self.subclasses:
            yield from self._met(kind, member.cls)

    def _met(self, kind: str, cls: ClassInfo) -> Iterator[Entered]:
        running = self._running.setdefault(kind, {})
        if cls in running:
            return
        running[cls] = None
        called = self._called.get(kind)
        for base in self.program.analysis.resolver.mro(cls) if called else ():
            if not isinstance(base, ClassInfo) or base is cls:
                continue
            for name, method in cls.methods.items():
                replaced = base.methods.get(name)
                if replaced is not None and called and replaced in called:
                    yield (*called[replaced], method)

    def _in_place(self, callee: FunctionInfo) -> dict[ClassInfo, FunctionInfo]:
        """The methods in the place of one, by the subclass that defines them."""
        if callee not in self._places:
            below = self.subclasses.get(callee.cls, ()) if callee.cls is not None else ()
            self._places[callee] = {c: c.methods[callee.name] for c in below if callee.name in c.methods}
        return self._places[callee]

    def _instances(self, scope: FunctionInfo | None, call: nodes.NodeNG | None) -> Iterator[ClassInfo]:
        if not isinstance(call, nodes.Call):
            return
        values = self.program.facts[scope].values
        for node in (call.func, getattr(call.func, "expr", None), *call.args, *(k.value for k in call.keywords)):
            refs = list(values[node].each) if node in values else []
            refs.extend(owner for ref in refs if isinstance(ref, Bound) for owner in ref.owner.each)
            yield from (r.cls for r in refs if isinstance(r, Instance) and isinstance(r.cls, ClassInfo))

    def overriding(self, scope: FunctionInfo | None, functions: list[FunctionInfo]) -> Iterator[FunctionInfo]:
        """The methods of subclasses in the place of those that a method of their base makes a region of."""
        owner = None if scope is None else scope.cls
        if owner is None or scope is None or owner not in self.subclasses:
            return
        bases = self.program.analysis.resolver.mro(owner)
        names = {f.name for f in functions if f.cls in bases and f.name != "__init__"}
        for cls in self.subclasses[owner] if names else ():
            if scope.name not in cls.methods:
                yield from (method for name, method in cls.methods.items() if name in names)
