"""Properties read in a method that has stored what they read: they see the attribute as it is at that place."""

from __future__ import annotations

from typing import cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import coarse
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.lattice import UNKNOWN, AbstractValue
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo


def value(frame: Frame, cls: ClassInfo, name: str) -> AbstractValue | None:
    """The property `name` of the method's own object, after what the method has stored; None where that says nothing
    more than the class does.
    """
    analysis = frame.analysis
    function = analysis.resolver.method(cls, name)
    if function is None or not function.is_property or not function.params:
        return None
    own = function.params[0].name
    held = []
    for attribute in _read(frame, cls, function):
        known = frame.state.get(f"{frame.self_name}.{attribute}")
        if known is not None and known.known:
            held.append((f"{own}.{attribute}", coarse(known)))
    if not held:
        return None

    def compute() -> AbstractValue:
        inner = analysis.frame(function, {own: frame.owner})
        for path, kept in held:
            inner.keep(path, kept)
        return analysis.result(function, inner)

    key = ("property", function, frame.owner, tuple(held))
    found = analysis.query(function.module.memo, key, compute, UNKNOWN)
    return found if found.known else None


def _read(frame: Frame, cls: ClassInfo, function: FunctionInfo) -> tuple[str, ...]:
    """The attributes that a property reads of its object, also through other properties of the class, in order."""
    memo, key = cls.module.memo, ("reads", cls, function)
    if key not in memo:
        memo[key] = ()  # while it is looked into
        found: dict[str, None] = {}
        for node in function.node.nodes_of_class(nodes.Attribute):
            if isinstance(node.expr, nodes.Name) and node.expr.name == function.params[0].name:
                found[node.attrname] = None
                other = frame.analysis.resolver.method(cls, node.attrname)
                if other is not None and other.is_property and other.params:
                    found.update(dict.fromkeys(_read(frame, cls, other)))
        memo[key] = tuple(found)
    return cast("tuple[str, ...]", memo[key])
