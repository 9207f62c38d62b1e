"""Dimensions that `mark_dynamic` marks of a tensor which a compiled function is given, by helpers and in loops too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.lattice import AbstractValue
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

_DEPTH: Final = 3
_WORDS: Final = ("mark_dynamic",)


@dataclass(frozen=True, slots=True)
class Mark:
    """A dimension of what a name holds in a scope, from a line on; `node` is the call in the file that marks it."""

    scope: FunctionInfo | None
    path: str
    dim: int
    node: nodes.Call
    line: int


def given(origins: Origins, compiled: set[FunctionInfo]) -> Iterator[tuple[FunctionInfo, str, Mark, Expr]]:
    """The parameters of compiled functions that calls of the file give a marked tensor, each with what it is given."""
    facts = origins.program.facts
    if not compiled or not (
        origins.program.index.mentions(_WORDS) or any(f.module.mentions(_WORDS) for f in _called(origins))
    ):
        return
    work = [(mark, 0) for scope in facts for mark in _marks(origins, scope)]
    for mark, depth in work:
        for node, callees in facts[mark.scope].calls.items():
            if not isinstance(node, nodes.Call) or line(node) < mark.line:
                continue
            for callee in callees:
                for name, argument in _arguments(node, callee):
                    if dotted(argument) != mark.path:
                        continue
                    if callee in compiled:
                        yield callee, name, mark, Expr(origins.program.index, mark.scope, argument)
                    elif callee in facts and depth < _DEPTH:
                        work.append((Mark(callee, name, mark.dim, mark.node, 0), depth + 1))


def _called(origins: Origins) -> Iterator[FunctionInfo]:
    """The functions of other files that the file calls."""
    index = origins.program.index
    for facts in origins.program.facts.values():
        for callees in facts.calls.values():
            yield from (c for c in callees if c.module is not index)


def _marks(origins: Origins, scope: FunctionInfo | None) -> Iterator[Mark]:
    """What a scope of the file marks: by a call, a `partial` of it, or a function that marks its parameter."""
    index = origins.program.index
    facts = origins.program.facts[scope]
    for call, dims, tensor in _direct(origins, Expr(index, scope, None)):
        path = dotted(tensor)
        for dim in dims if path is not None else ():
            yield Mark(scope, str(path), dim, call, line(call))
    for node, callees in facts.calls.items():
        if not isinstance(node, nodes.Call):
            continue
        for callee in callees:
            if not callee.module.mentions(_WORDS):
                continue
            arguments = dict(_arguments(node, callee))
            for _, dims, tensor in _direct(origins, Expr(callee.module, callee, None)):
                path = dotted(arguments.get(getattr(tensor, "name", "")))
                for dim in dims if path is not None else ():
                    yield Mark(scope, str(path), dim, node, line(node))


def _direct(origins: Origins, at: Expr) -> Iterator[tuple[nodes.Call, list[int], nodes.NodeNG]]:
    """The calls of `mark_dynamic` in a scope, with the dimensions and the tensor."""
    for node, called in origins.facts(at.module, at.scope).externals.items():
        for name, args in called.items():
            if not name.startswith("torch._dynamo.") or not name.endswith(".mark_dynamic"):
                continue
            if not isinstance(node, nodes.Call):
                continue
            tensor = next((k.value for k in node.keywords if k.arg == "t"), node.args[0] if node.args else None)
            if tensor is not None:
                yield node, _dims(origins, Expr(at.module, at.scope, node), args), tensor


def _dims(origins: Origins, call: Expr, args: Arguments) -> list[int]:
    value = args.get(1, "index")
    found = [] if value is None else _numbers(value)
    written = next((k.value for k in call.node.keywords if k.arg == "index"), None) or call.node.args[-1]
    if not found and isinstance(written, nodes.Name):
        for loop in loops.around(call.node.statement()):
            over: Any = getattr(loop, "iter", None)
            if over is not None and written.name in loops.targets(loop):
                found = _numbers(origins.value(Expr(call.module, call.scope, over)))
    return found


def _numbers(value: AbstractValue) -> list[int]:
    if isinstance(value.const, int) and not isinstance(value.const, bool):
        return [value.const]
    return [inner.const for _, inner in value.items or () if type(inner.const) is int]


def _arguments(call: nodes.Call, callee: FunctionInfo) -> Iterator[tuple[str, nodes.NodeNG]]:
    """The parameters of a function with what a call gives them."""
    names = [p.name for p in callee.params if not p.keyword_only]
    own = names[1:] if callee.takes_self or callee.is_classmethod else names
    yield from zip(own, call.args, strict=False)
    yield from ((k.arg, k.value) for k in call.keywords if k.arg is not None)
