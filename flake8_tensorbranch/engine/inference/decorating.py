"""What the decorators of a file are given: the functions that they stand at, which their wrappers call."""

from __future__ import annotations

from collections.abc import Iterator

from astroid import nodes

from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import CALLABLE, AbstractValue, make
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex


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
            if maker is not None and called:  # `@retried(3)`: what is returned is the decorator
                maker = returned(maker)
            if maker is not None and maker.params:
                found.setdefault(maker, {})[function] = None
    for maker, functions in found.items():
        name = maker.params[0].name
        value = make(CALLABLE, refs=frozenset(functions))
        for inner in maker.nested:
            if name in inner.free:
                yield inner, name, value


def returned(maker: FunctionInfo) -> FunctionInfo | None:
    """The nested function that a function returns by its name; None where there is none."""
    names = {r.value.name for r in maker.returns_nodes if isinstance(r.value, nodes.Name)}
    return next((f for f in maker.nested if f.name in names), None)
