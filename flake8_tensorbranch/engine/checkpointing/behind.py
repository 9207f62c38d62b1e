"""What stands behind an expression that is written to: the module whose parameters, or the tensor whose storage."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.knowledge.modules import ITERATES_MODULES, ITERATES_TENSORS, OWN_DICTIONARIES
from flake8_tensorbranch.knowledge.tensors import DTYPE_CASTS, SAME_STORAGE, VIEWS
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

_ITERATES: Final = ITERATES_TENSORS | ITERATES_MODULES | {"state_dict"}
_COLLECTS: Final = ("list", "tuple", "dict", "next", "iter", "reversed")
_THROUGH: Final = ("data", "weight", "bias", *OWN_DICTIONARIES)
_BY_NAME: Final = ("get_parameter", "get_submodule", "get_buffer")
_DEPTH: Final = 8
ONE: Final = "?"
_SAME: Final = VIEWS | DTYPE_CASTS | {"to", "type", "cuda", "cpu", "get", "values", "items"}
"""Methods that may give the object itself, or its storage."""


def behind(scope: FunctionInfo | None, node: Any) -> Any:
    """What a local stands for that is bound once, to an attribute, an element, or what a module's methods go over; the
    node itself for all else.
    """
    value = once(scope.local_names, node.name) if scope is not None and isinstance(node, nodes.Name) else None
    if isinstance(value, (nodes.Attribute, nodes.Subscript)):
        return value
    if isinstance(value, nodes.Name) and scope is not None and once(scope.local_names, value.name) is not None:
        return value
    return value if value is not None and (_collects(value) or _is_view(value)) else node


def owner(node: Any, scope: FunctionInfo | None = None) -> Any:
    """The module or tensor behind a parameter: through `.data`, loops over `parameters()`, elements, views."""
    while True:
        if isinstance(node, (nodes.Attribute, nodes.AssignAttr)) and node.attrname in _THROUGH:
            node = node.expr
        elif isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute):
            if _is_new(node.func.attrname):
                return node
            node = node.func.expr
        elif isinstance(node, nodes.Call) and dotted(node.func) in _COLLECTS and len(node.args) == 1:
            node = node.args[0]
        elif isinstance(node, nodes.ComprehensionScope) and _plain(node) is not None:
            node = _plain(node)
        elif isinstance(node, nodes.Subscript):
            node = node.value
        elif isinstance(node, nodes.Name):
            found = _looped(node) or behind(scope, node)
            if found is node:
                return node
            node = found
        else:
            return node


def named(node: Any, scope: FunctionInfo | None = None) -> str:
    """The attribute of the module behind an expression that a name in it picks: `net.state_dict()["own"]`; `ONE` where
    it is one parameter of those that are gone over (`next(net.parameters())`); else empty.
    """
    for _ in range(_DEPTH):
        key = node.slice if isinstance(node, nodes.Subscript) else None
        if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname in _BY_NAME:
            key = node.args[0] if node.args else None
        if isinstance(key, nodes.Const) and isinstance(key.value, str):
            return key.value.partition(".")[0]
        picks = isinstance(node, nodes.Subscript) and not isinstance(node.slice, nodes.Slice)
        if (picks or (isinstance(node, nodes.Call) and dotted(node.func) == "next")) and _lists(node, scope):
            return ONE
        if isinstance(node, nodes.Call):
            node = node.func
        elif isinstance(node, (nodes.Attribute, nodes.AssignAttr)):
            node = node.expr
        elif isinstance(node, nodes.Subscript):
            node = node.value
        elif isinstance(node, nodes.Name) and (found := behind(scope, node)) is not node:
            node = found
        else:
            return ""
    return ""


def _lists(node: Any, scope: FunctionInfo | None) -> bool:
    """True for an element of what a module's methods go over."""
    held = behind(scope, node.value if isinstance(node, nodes.Subscript) else node.args[0] if node.args else node)
    return _collects(held)


def iterated(source: Any) -> nodes.NodeNG | None:
    """The module whose parameters or modules an expression goes over, itself or by an element; None for all else."""
    if isinstance(source, nodes.DictComp) or (isinstance(source, nodes.ComprehensionScope) and _plain(source) is None):
        return None
    for call in source.nodes_of_class(nodes.Call):
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname in _ITERATES:
            return None if _is_copied(call, source) else func.expr
    return source if isinstance(source, nodes.Attribute) else None


def _collects(value: Any) -> bool:
    """True for what a module's methods go over, as it is or in a list, and for one of it."""
    if isinstance(value, nodes.Call):
        method = value.func.attrname if isinstance(value.func, nodes.Attribute) else ""
        outer = method in _ITERATES or method in ("values", "items") or dotted(value.func) in _COLLECTS
        return outer and iterated(value) is not None
    return isinstance(value, nodes.ComprehensionScope) and iterated(value) is not None


def _is_copied(call: nodes.NodeNG, source: nodes.NodeNG) -> bool:
    """True where a method between a call and an expression around it gives a new tensor."""
    up: Any = call
    while up is not source:
        up = up.parent
        if isinstance(up, nodes.Call) and isinstance(up.func, nodes.Attribute) and _is_new(up.func.attrname):
            return True
    return False


def _is_new(method: str) -> bool:
    """True for a method of tensors whose result has a storage of its own."""
    return method not in _SAME and not method.endswith("_") and tensor_row(method) is not None


def _is_view(value: Any) -> bool:
    func = value.func if isinstance(value, nodes.Call) else None
    return isinstance(func, nodes.Attribute) and func.attrname in VIEWS


def _plain(node: Any) -> nodes.NodeNG | None:
    """What a comprehension goes over whose elements are what it goes over, or their `.data`."""
    if isinstance(node, nodes.DictComp) or len(node.generators) != 1:
        return None
    bound, element = node.generators[0].target, node.elt
    while (isinstance(element, nodes.Attribute) and element.attrname in SAME_STORAGE) or _is_view(element):
        element = element.expr if isinstance(element, nodes.Attribute) else element.func.expr
    names = {n.name for n in bound.nodes_of_class(nodes.AssignName)}
    return node.generators[0].iter if isinstance(element, nodes.Name) and element.name in names else None


def _looped(name: nodes.Name) -> nodes.NodeNG | None:
    """What a loop variable runs over, where that is the parameters of a module; None for any other name."""
    up = name.parent
    while up is not None and not isinstance(up, (*NESTED, nodes.Module)):
        loops = [up] if isinstance(up, nodes.For) else getattr(up, "generators", ())
        for loop in loops:
            if any(n.name == name.name for n in loop.target.nodes_of_class(nodes.AssignName)):
                return iterated(_source(loop.target, loop.iter, name.name))
        up = up.parent
    return None


def _source(target: Any, iterable: Any, name: str) -> Any:
    """The expression whose elements a name of a loop's target gets: its own of those that `zip` goes through."""
    called = dotted(iterable.func) if isinstance(iterable, nodes.Call) else ""
    if isinstance(target, nodes.Tuple) and called in ("zip", "enumerate"):
        for position, part in enumerate(target.elts):
            if any(n.name == name for n in part.nodes_of_class(nodes.AssignName)):
                at = position if called == "zip" else position - 1
                return _source(part, iterable.args[at], name) if 0 <= at < len(iterable.args) else iterable
    return iterable
