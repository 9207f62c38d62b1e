"""Methods of subclasses that run in a region in the place of those that it calls."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from astroid import nodes

from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.refs import Bound, Instance
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo


class Heirs:
    """The classes of a file with a base in the project, and which of them have objects in the regions of a kind."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.subclasses: dict[ClassInfo, list[ClassInfo]] = {}
        self._running: dict[str, set[ClassInfo]] = {}
        for cls in program.index.classes:
            for base in program.analysis.resolver.mro(cls):
                if isinstance(base, ClassInfo) and base is not cls:
                    self.subclasses.setdefault(base, []).append(cls)

    def met(
        self, kind: str, scope: FunctionInfo | None, node: nodes.NodeNG | None, members: Iterable[FunctionInfo] = ()
    ) -> list[FunctionInfo]:
        """Note the objects that a call in a region, or one that begins it, calls or is given; the members of a base of
        one that is new, whose calls may lead elsewhere now.
        """
        if not self.subclasses or not isinstance(node, nodes.Call):
            return []
        running = self._running.setdefault(kind, set())
        new = [cls for cls in self._instances(scope, node) if cls not in running]
        running.update(new)
        return [m for m in members if m.cls is not None and any(c in self.subclasses.get(m.cls, ()) for c in new)]

    def _instances(self, scope: FunctionInfo | None, call: nodes.Call) -> Iterator[ClassInfo]:
        values = self.program.facts[scope].values
        for node in (call.func, getattr(call.func, "expr", None), *call.args, *(k.value for k in call.keywords)):
            refs = list(values[node].each) if node in values else []
            refs.extend(owner for ref in refs if isinstance(ref, Bound) for owner in ref.owner.each)
            yield from (r.cls for r in refs if isinstance(r, Instance) and isinstance(r.cls, ClassInfo))

    def entered(
        self, kind: str, callees: Iterable[FunctionInfo], members: Container[FunctionInfo]
    ) -> Iterator[FunctionInfo]:
        """The callees of a call, and the methods in their place in subclasses whose objects, or other methods, run in
        the region.
        """
        running = self._running.get(kind, ())
        for callee in callees:
            yield callee
            for cls in self.subclasses.get(callee.cls, ()) if callee.cls is not None else ():
                method = cls.methods.get(callee.name)
                if method is not None and (cls in running or any(m in members for m in cls.methods.values())):
                    yield method

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
