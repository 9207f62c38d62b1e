"""Methods of the file that methods of other files call on its objects: overrides, which run in the regions of these."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import UNKNOWN, AbstractValue
from flake8_tensorbranch.engine.refs import Bound, Instance, Partial, Super, Wrapped
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_DEPTH: Final = 4
_MOST: Final = 40  # methods of other files looked at for one object

Way = tuple[tuple[FunctionInfo, nodes.Call], ...]
"""The functions of other files on the way, each with the call in it."""


def methods(
    program: Program, scope: FunctionInfo | None, node: nodes.NodeNG | None, strangers: list[FunctionInfo]
) -> Iterator[tuple[FunctionInfo, Way]]:
    """The methods of the file that the `strangers`, which a call runs, call on an object of a class of the file; each
    with its way.
    """
    if not isinstance(node, nodes.Call):
        return
    values = program.facts[scope].values
    told = [values.get(part, UNKNOWN) for part in (node.func, *node.args[:1])]
    if isinstance(node.func, nodes.Attribute):
        told.append(values.get(node.func.expr, UNKNOWN))
    for cls in dict.fromkeys(found for value in told for found in _classes(value)):
        if cls.module is program.index:
            yield from _of_class(program, cls, strangers)


def _of_class(program: Program, cls: ClassInfo, strangers: list[FunctionInfo]) -> Iterator[tuple[FunctionInfo, Way]]:
    resolver = program.analysis.resolver
    bases = resolver.mro(cls)
    own = [s for s in strangers if s.cls in bases]
    queue: deque[tuple[FunctionInfo, Way]] = deque((s, ()) for s in own)
    seen = set(own)
    while queue and len(seen) < _MOST:
        function, way = queue.popleft()
        owner = function.params[0].name if function.takes_self else ""
        for call in function.calls:
            func = call.func
            if not isinstance(func, nodes.Attribute) or getattr(func.expr, "name", "") != owner or not owner:
                continue
            method = resolver.method(cls, func.attrname)
            if method is None or method in seen:
                continue
            seen.add(method)
            further = (*way, (function, call))
            if method in program.facts:
                yield method, further
            elif len(further) < _DEPTH:
                queue.append((method, further))


def _classes(value: AbstractValue, depth: int = 4) -> Iterator[ClassInfo]:
    """The classes of the objects that a value is, or is a method or a wrapper of."""
    for ref in value.each if depth else ():
        if isinstance(ref, Instance):
            if isinstance(ref.cls, ClassInfo):
                yield ref.cls
        elif isinstance(ref, (Bound, Super)):
            yield from _classes(ref.owner, depth - 1)
        elif isinstance(ref, (Partial, Wrapped)):
            yield from _classes(ref.function, depth - 1)
