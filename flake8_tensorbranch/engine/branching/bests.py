"""What an object that is no module keeps of finished tensors: a best so far, which nothing is computed of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.resolve import Resolver
from flake8_tensorbranch.knowledge.tensors import COPIES
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

_KEEPS: Final = COPIES | {"cpu"}
_COMPUTES: Final = (nodes.BinOp, nodes.Call, nodes.UnaryOp, nodes.AugAssign)


def keeps_best(resolver: Resolver, scope: FunctionInfo | None, assign: nodes.Assign) -> bool:
    """True for an assignment that stores finished tensors, copied or not, on attributes of the method's object, whose
    class is surely none of a module and computes nothing of them but tests and texts.
    """
    cls = None if scope is None or not scope.takes_self else scope.cls
    if scope is None or cls is None or len(assign.targets) != 1:
        return False
    pairs = list(_pairs(assign.targets[0], assign.value))
    holder = scope.params[0].name
    if not pairs or not all(_is_stored(target, value, holder) for target, value in pairs):
        return False
    mro = resolver.mro(cls)
    if resolver.is_module(cls) or any(isinstance(base, str) and base.startswith("?") for base in mro):
        return False
    names = {target.attrname for target, _ in pairs}
    return not any(_computes_of(base, names) for base in resolver.lineage(cls))


def _pairs(target: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(target, nodes.Tuple) and isinstance(value, nodes.Tuple):
        yield from zip(target.elts, value.elts, strict=False)
    else:
        yield target, value


def _is_stored(target: Any, value: Any, holder: str) -> bool:
    while isinstance(value, nodes.Call) and isinstance(value.func, nodes.Attribute) and value.func.attrname in _KEEPS:
        value = value.func.expr
    stored = isinstance(target, nodes.AssignAttr) and dotted(target.expr) == holder
    return stored and isinstance(value, (nodes.Name, nodes.Const))


def _computes_of(cls: ClassInfo, names: set[str]) -> bool:
    """True when a method computes something of one of its object's attributes outside of tests and texts."""
    for method in cls.methods.values():
        if not method.takes_self:
            continue
        holder = method.params[0].name
        for read in method.node.nodes_of_class(nodes.Attribute):
            if read.attrname in names and dotted(read.expr) == holder and _is_computed_of(read):
                return True
    return False


def _is_computed_of(read: nodes.NodeNG) -> bool:
    node, up, computed = read, read.parent, False
    while up is not None:
        if isinstance(up, nodes.JoinedStr) or (
            isinstance(up, (nodes.If, nodes.While, nodes.IfExp)) and up.test is node
        ):
            return False
        computed |= isinstance(up, _COMPUTES)
        if up.is_statement:
            return computed and not isinstance(up, nodes.Assert)
        node, up = up, up.parent
    return computed
