"""Functions that a transformation of torch differentiates: what it is given at its calls, and what it decorates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.inference.program import functions_of
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.syntax.names import FunctionInfo


def transformed(origins: Origins, names: frozenset[str]) -> Iterator[tuple[Expr, str, list[FunctionInfo]]]:
    """The calls of transformations of these names in the file, and their uses as decorators: the place, the name, and
    the functions that are differentiated there.
    """
    index = origins.program.index
    for scope, call in index.all_calls():
        found = origins.facts(index, scope).externals.get(call, {})
        for name in sorted(found.keys() & names):
            value = found[name].get(0, "func")
            if value is not None:
                yield Expr(index, scope, call), name, list(functions_of(origins.program.analysis, value))
    for function in index.functions:
        for place, name in decorating(origins, function, names):
            yield place, name, [function]


def decorating(origins: Origins, function: FunctionInfo, names: frozenset[str]) -> Iterator[tuple[Expr, str]]:
    """The decorators of a function that are transformations of these names, or a `partial` of one."""
    decorators = getattr(function.node, "decorators", None)
    for node in decorators.nodes if decorators is not None else ():
        named: Any = node
        resolve = origins.program.analysis.resolver.expression
        if isinstance(node, nodes.Call) and node.args:
            if resolve(function.module, node.func, function.parent) != "functools.partial":
                continue
            named = node.args[0]
        name = resolve(function.module, named, function.parent)
        if isinstance(name, str) and name in names:
            yield Expr(function.module, function.parent, node), name
