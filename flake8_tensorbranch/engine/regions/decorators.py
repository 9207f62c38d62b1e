"""Wrappers that decorators put around functions: they run where the decorated function is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from astroid import nodes

from flake8_tensorbranch.engine.inference.decorating import returned
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo


@dataclass(frozen=True, slots=True)
class Around:
    """A wrapper, the decorator that puts it around a function, and the name by which it knows that one, if any."""

    wrapper: FunctionInfo
    decorator: nodes.NodeNG
    function: FunctionInfo
    name: str


def around(program: Program, function: FunctionInfo, above: nodes.NodeNG | None) -> Iterator[Around]:
    """The wrappers around a function, the outermost first; of those below the decorator `above`, if it is one."""
    decorators = getattr(function.node, "decorators", None)
    listed = [] if decorators is None else decorators.nodes
    start = next((place + 1 for place, node in enumerate(listed) if node is above), 0)
    resolver = program.analysis.resolver
    for node in listed[start:]:
        called = isinstance(node, nodes.Call)
        target = resolver.expression(function.module, node.func if called else node, function.parent)
        if isinstance(target, FunctionInfo):
            maker = returned(target) if called else target
            wrapper = returned(maker) if maker is not None and maker.params else None
            if maker is not None and wrapper is not None:
                yield Around(wrapper, node, function, maker.params[0].name)
        elif isinstance(target, ClassInfo) and not called:
            wrapper = resolver.method(target, "__call__")
            if wrapper is not None:
                yield Around(wrapper, node, function, "")
