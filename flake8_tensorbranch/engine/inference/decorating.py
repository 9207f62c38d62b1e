"""What the decorators of a file are given: the functions that they stand at, which their wrappers call."""

from __future__ import annotations

from collections.abc import Iterator

from astroid import nodes

from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import CALLABLE, AbstractValue, make
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, last_name

Wrapping = tuple[nodes.NodeNG, FunctionInfo, FunctionInfo]


def handed(analysis: Analysis, index: ModuleIndex) -> Iterator[tuple[FunctionInfo, str, AbstractValue]]:
    """The wrappers that a decorator of the file defines, each with the name by which it knows the functions that are
    decorated, and with these.
    """
    makers = {f.name: f for f in index.functions if f.parent is None and f.cls is None and f.nested and f.params}
    if not makers:
        return
    found: dict[FunctionInfo, dict[FunctionInfo, None]] = {}
    for function in index.functions:
        decorators = getattr(function.node, "decorators", None)
        for decorator in decorators.nodes if decorators is not None else ():
            called = isinstance(decorator, nodes.Call)
            bare = decorator.func if called else decorator
            maker = makers.get(bare.name) if isinstance(bare, nodes.Name) else None
            if maker is not None:
                maker = taker(maker, called)
            if maker is not None and maker.params:
                found.setdefault(maker, {})[function] = None
    for maker, functions in found.items():
        name = maker.params[0].name
        value = make(CALLABLE, refs=frozenset(functions))
        for inner in maker.nested:
            if name in inner.free:
                yield inner, name, value


def wrapping(analysis: Analysis, function: FunctionInfo) -> Iterator[Wrapping]:
    """What the project's decorators put in a function's place: for each its expression, the function of the project
    that takes the decorated one (what a factory returns), and the one that this gives back.
    """
    decorators = getattr(function.node, "decorators", None)
    for decorator in decorators.nodes if decorators is not None else ():
        called = decorator.func if isinstance(decorator, nodes.Call) else None
        named = analysis.resolver.expression(function.module, called or decorator, function.parent)
        maker = taker(named, called is not None) if isinstance(named, FunctionInfo) else None
        inner = returned(maker) if maker is not None else None
        if inner is not None and maker is not None:
            yield decorator, maker, inner


def called_instead(analysis: Analysis, function: FunctionInfo) -> list[FunctionInfo]:
    """The `__call__` of the project's classes that a function is decorated with."""
    decorators = getattr(function.node, "decorators", None)
    found = []
    for decorator in decorators.nodes if decorators is not None else ():
        if not isinstance(decorator, nodes.Call):
            cls = analysis.resolver.expression(function.module, decorator, function.parent)
            if isinstance(cls, ClassInfo) and "__call__" in cls.methods:
                found.append(cls.methods["__call__"])
    return found


def returned(maker: FunctionInfo) -> FunctionInfo | None:
    """The nested function that a function returns by its name, or as a lambda; None where there is none."""
    values = list(_given_back(maker))
    names = {value.name for value in values if isinstance(value, nodes.Name)}
    return next((f for f in maker.nested if f.name in names or f.node in values), None)


def taker(maker: FunctionInfo, called: bool) -> FunctionInfo | None:
    """The function that takes what a decorator stands at, given what the decorator names and whether it calls that.

    It is the named one, or what that returns; of `def deco(fn=None, *, flag=True)` either, as it is written.
    """
    if not (called or maker.nested):
        return maker
    values = list(_given_back(maker))
    if called:
        again = (v.args[0] for v in values if isinstance(v, nodes.Call) and last_name(v.func) == "partial" and v.args)
        return maker if any(last_name(first) == maker.name for first in again) else returned(maker)
    first = maker.params[0].name if maker.params else ""
    handed_on = (v for v in values if isinstance(v, nodes.Call) and [last_name(a) for a in v.args] == [first])
    names = {last_name(v.func) for v in handed_on}
    return next((f for f in maker.nested if f.name in names), maker)


def _given_back(maker: FunctionInfo) -> Iterator[nodes.NodeNG]:
    """What a function returns, both ways of a choice."""
    left = [r.value for r in maker.returns_nodes if r.value is not None]
    while left:
        value = left.pop(0)
        if isinstance(value, nodes.IfExp):
            left[:0] = [value.body, value.orelse]
        else:
            yield value
