"""Counting iterators from outside of compiled functions, which advance them: a graph for each number they give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.compiling.compile_state import KIND
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.regions.trace import noted, spelled
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.syntax.names import FunctionInfo

_WORDS: Final = ("next(", "__next__")
_NEXT: Final = "__next__"
_COUNTS: Final = "itertools.count"
_ITERATES: Final = "builtins.iter"
_NUMBERS: Final = frozenset({"builtins.range"})


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """A site for each advance of a counter or of `iter(range(n))` (observed: tests/oracle/test_forms_advanced.py)."""
    members = regions.members(KIND)
    if not members or not program.index.mentions(_WORDS):
        return
    origins, tracers = Origins(program), Tracers(program.analysis)
    for function, member in members.items():
        if function.module is not program.index:
            continue
        for call in function.calls:
            advanced = _advanced(origins, function, call)
            if advanced is None or tracers.guard(program.index, function, call, tracer=KIND):
                continue
            made = _made(origins, Expr(program.index, function, advanced), set(members))
            if made is not None:
                subject = spelled(call)
                place = (noted(made.module.path, made.node, "made here, once"),)
                facts: dict[str, object] = {"what": "iterator"}
                yield TracedSite(SinkKind.COMPILED_STATE, call, function, subject, {KIND: member}, facts, place)


def _advanced(origins: Origins, function: FunctionInfo, call: nodes.Call) -> nodes.NodeNG | None:
    """The iterator that a call takes the next element of; None for any other call."""
    func: Any = call.func
    if isinstance(func, nodes.Name) and func.name == "next":
        return call.args[0] if call.args else None
    if isinstance(func, nodes.Attribute):
        return func.expr if func.attrname == _NEXT else None
    if not isinstance(func, nodes.Name) or not function.module.mentions((_NEXT,)):
        return None
    here = Expr(function.module, function, func)
    held = [o.node for o in origins.of(here) if isinstance(o.node, nodes.Attribute) and o.node.attrname == _NEXT]
    return held[0].expr if len(held) == 1 else None


def _made(origins: Origins, iterator: Expr, inside: set[FunctionInfo]) -> Expr | None:
    """Where a counting iterator is made outside of what runs compiled; None where that is not plain."""
    for origin in origins.of(iterator):
        call: Any = origin.node
        if not isinstance(call, nodes.Call) or (origin.scope in inside and not _is_default(origin)):
            continue
        names = origins.externals(origin)
        if _COUNTS in names:
            return origin
        if _ITERATES in names and len(call.args) == 1:
            if _NUMBERS & origins.externals(Expr(origin.module, origin.scope, call.args[0])):
                return origin
    return None


def _is_default(origin: Expr) -> bool:
    """True for the default of a parameter: it is made where the function is defined."""
    arguments = origin.scope.node.args if origin.scope is not None else None
    return arguments is not None and any(n is origin.node for n in arguments.defaults or ())
