"""Uses: which state outside of a region its expressions read, directly and through locals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from astroid import nodes

from flake8_tensorbranch.engine import places
from flake8_tensorbranch.engine.places import Place

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.insides import Activation

_NESTED: Final = (nodes.FunctionDef, nodes.Lambda, nodes.ClassDef)
_MOST: Final = 16

# Attributes and calls that ask for no value.
_METADATA: Final = frozenset(
    {"shape", "dtype", "device", "ndim", "requires_grad", "is_cuda", "layout", "training", "__class__", "__name__"}
)
_ASKING: Final = frozenset({"isinstance", "hasattr", "type", "id", "callable"})


def reads(top: Any) -> list[Any]:
    """Names, attributes and elements whose value an expression reads; a test for None or for a type asks no value."""
    found: list[Any] = []
    stack = [top]
    while stack:
        node = stack.pop()
        if isinstance(node, _NESTED):
            continue
        if isinstance(node, nodes.Compare) and any(op in ("is", "is not") for op, _ in node.ops):
            continue
        if isinstance(node, nodes.Attribute) and node.attrname in _METADATA:
            continue
        if isinstance(node, nodes.Call):
            func = node.func
            if isinstance(func, nodes.Name) and func.name in _ASKING:
                continue
            if isinstance(func, nodes.Attribute):
                stack.append(func.expr)  # the method itself is no state
            elif not isinstance(func, nodes.Name):
                stack.append(func)
            stack.extend([*node.args, *(k.value for k in node.keywords)])
            continue
        if isinstance(node, (nodes.Attribute, nodes.Name, nodes.Subscript)):
            found.append(node)
        stack.extend(node.get_children())
    return found


def sources(activation: Activation, top: Any) -> Iterator[tuple[Activation, Any]]:
    """The reads in an expression, in what its locals are assigned, and in the properties and helpers that it asks."""
    seen: set[tuple[int, str]] = set()
    work: list[tuple[Activation, Any]] = [(activation, top)]
    while work:
        at, expression = work.pop()
        for node in reads(expression):
            yield at, node
            if isinstance(node, nodes.Name) and node.name in at.function.local_names:
                key = (id(at), node.name)
                if key not in seen and len(seen) < _MOST:
                    seen.add(key)
                    work.extend((at, value) for value in assignments(at, node.name))
        for child in at.children:
            if child.call is not None and (child.call is expression or expression.parent_of(child.call)):
                key = (id(child), "")
                if key not in seen and len(seen) < _MOST:
                    seen.add(key)
                    work.extend((child, r.value) for r in child.function.returns_nodes if r.value is not None)


def assignments(activation: Activation, name: str) -> Iterator[Any]:
    """The expressions that a local of the activation's function is assigned from, or gets its elements from."""
    for bound in activation.function.local_names.get(name, ()):
        statement = bound.statement() if isinstance(bound, nodes.NodeNG) else None
        if isinstance(statement, (nodes.Assign, nodes.AnnAssign, nodes.AugAssign)) and statement.value is not None:
            yield statement.value
        elif isinstance(statement, nodes.For) and bound is not statement:
            yield statement.iter


def derives(activation: Activation, value: Any, place: Place, exact: str = "") -> bool:
    """True when an expression is computed from the state, through locals too; with `exact`, spelled just so."""
    for at, node in sources(activation, value):
        if exact and node.as_string() != exact:
            continue
        found = places.of(at, node)
        if found is not None and found.meets(place) and len(found.path) >= len(place.path):
            return True
    return False


_CONVERTS: Final = frozenset(
    [
        "to",
        "cuda",
        "cpu",
        "float",
        "half",
        "double",
        "bfloat16",
        "type",
        "type_as",
        "contiguous",
        "clone",
        "detach",
        "long",
        "int",
        "bool",
        "requires_grad_",
        "view",
        "reshape",
    ]
)
_EXTREMES: Final = frozenset({"max", "min", "maximum", "minimum", "clamp"})


def repeats(activation: Activation, value: Any, place: Place) -> bool:
    """True for a value that is the same when made twice: a conversion of the state, a choice of it, an extreme."""
    if isinstance(value, nodes.IfExp):
        parts = [value.body, value.orelse]
        return any(_is(activation, p, place) for p in parts) and all(
            _is(activation, p, place) or not derives(activation, p, place) for p in parts
        )
    if isinstance(value, nodes.BoolOp):
        return _is(activation, value.values[0], place)
    if isinstance(value, nodes.Call):
        func = value.func
        name = func.attrname if isinstance(func, nodes.Attribute) else getattr(func, "name", "")
        if name in _EXTREMES:
            return True
        if isinstance(func, nodes.Attribute) and name in _CONVERTS:
            return repeats(activation, func.expr, place)
    return _is(activation, value, place)


def _is(activation: Activation, node: Any, place: Place) -> bool:
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname in _CONVERTS:
        return _is(activation, node.func.expr, place)
    return isinstance(node, (nodes.Attribute, nodes.Name, nodes.Subscript)) and places.of(activation, node) == place
