"""Uses: which state outside of a region its expressions read, directly and through locals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import places
from flake8_tensorbranch.engine.checkpointing.places import Place
from flake8_tensorbranch.engine.lookup.guards import exclusive
from flake8_tensorbranch.knowledge.containers import KEYED
from flake8_tensorbranch.knowledge.tensors import CONVERSIONS, EXTREMES, METADATA
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import last_name
from flake8_tensorbranch.syntax.printing import source_of

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.checkpointing.insides import Activation

_MOST: Final = 16

# Attributes and calls that ask for no value.
_METADATA: Final = METADATA | {"training", "__class__", "__name__"}
_CHAINS: Final = (nodes.Attribute, nodes.Name, nodes.Subscript)
_ASKING: Final = frozenset({"isinstance", "hasattr", "type", "id", "callable"})


def reads(top: Any) -> list[Any]:
    """Names, attributes and elements whose value an expression reads, whole chains (`self.a.b[0]`) as one.

    A test for None or for a type asks no value, and neither does metadata.
    """
    found: list[Any] = []
    stack = [top]
    while stack:
        node = stack.pop()
        if isinstance(node, NESTED):
            continue
        if isinstance(node, nodes.Compare) and any(op in ("is", "is not") for op, _ in node.ops):
            continue
        if isinstance(node, nodes.Call):
            stack.extend([*node.args, *(k.value for k in node.keywords)])
            func = node.func
            if isinstance(func, nodes.Name):
                if func.name == "getattr" and len(node.args) > 1:
                    found.append(node)
                if func.name in _ASKING:
                    del stack[len(stack) - len(node.args) - len(node.keywords) :]
            elif isinstance(func, nodes.Attribute) and func.attrname in KEYED and node.args:
                found.append(node)  # one element
            else:
                stack.append(func.expr if isinstance(func, nodes.Attribute) else func)  # the method itself is no state
        elif isinstance(node, _CHAINS):
            inner, asks = _chain(node, stack)
            if not asks:
                found.append(node)
            if not isinstance(inner, nodes.Name):
                stack.append(inner)
        else:
            stack.extend(node.get_children())
    return found


def _chain(node: Any, indices: list[Any]) -> tuple[Any, bool]:
    """What a chain of attributes and elements begins with, and whether it only asks for metadata."""
    asks = False
    while isinstance(node, (nodes.Attribute, nodes.Subscript)):
        if isinstance(node, nodes.Subscript):
            indices.append(node.slice)
            node = node.value
        else:
            asks = asks or node.attrname in _METADATA
            node = node.expr
    return node, asks


def base_name(node: Any) -> str:
    """The name that a chain, or a call of a method on one, begins with; empty when it begins with something else."""
    while isinstance(node, (nodes.Attribute, nodes.Subscript, nodes.Call)):
        node = (
            node.func
            if isinstance(node, nodes.Call)
            else node.value
            if isinstance(node, nodes.Subscript)
            else node.expr
        )
    return str(node.name) if isinstance(node, nodes.Name) else ""


def sources(activation: Activation, top: Any) -> Iterator[tuple[Activation, Any]]:
    """The reads in an expression, in what its locals are assigned, and in the properties and helpers that it asks."""
    seen: set[tuple[int, str]] = set()
    work: list[tuple[Activation, Any]] = [(activation, top)]
    while work:
        at, expression = work.pop()
        for node in reads(expression):
            yield at, node
            name = base_name(node)
            if name in at.function.local_names:
                key = (id(at), name)
                if key not in seen and len(seen) < _MOST:
                    seen.add(key)
                    work.extend((at, value) for value in assignments(at, name))
        for child in at.children:
            if child.call is not None and (child.call is expression or expression.parent_of(child.call)):
                key = (id(child), "")
                if key not in seen and len(seen) < _MOST:
                    seen.add(key)
                    work.extend((child, value) for value in child.returned())


def assignments(activation: Activation, name: str) -> Iterator[Any]:
    """The expressions that a local of the activation's function is assigned from, or gets its elements from."""
    return (value for value, _ in unpacked(activation, name))


def unpacked(activation: Activation, name: str) -> Iterator[tuple[Any, int | None]]:
    """The expressions that a local is assigned from, each with the position at which it is unpacked from them."""
    for bound in activation.function.local_names.get(name, ()):
        statement = bound.statement() if isinstance(bound, nodes.NodeNG) else None
        target = statement.targets[0] if isinstance(statement, nodes.Assign) else None
        if isinstance(statement, nodes.Assign) and isinstance(target, nodes.Tuple) and bound in target.elts:
            before = target.elts[: target.elts.index(bound)]
            yield statement.value, None if any(isinstance(e, nodes.Starred) for e in before) else len(before)
        elif isinstance(statement, (nodes.Assign, nodes.AnnAssign, nodes.AugAssign)) and statement.value is not None:
            yield statement.value, None
        elif isinstance(statement, nodes.For) and bound is not statement and not places.is_label(statement, bound):
            yield statement.iter, None


def derives(activation: Activation, value: Any, place: Place, element: nodes.Subscript | None = None) -> bool:
    """True when an expression is computed from the state, through locals too.

    Of a container, it must read the `element` that is stored, or all.
    """
    for at, node in sources(activation, value):
        if element is not None and source_of(node) not in (source_of(element), source_of(element.value)):
            if not _gets(node, element):
                continue
        found = places.of(at, node)
        if found is not None and found.meets(place) and len(found.path) >= len(place.path) - (element is not None):
            return True
    return False


def _gets(node: Any, element: nodes.Subscript) -> bool:
    """True for `table.get(key, 0)`, which reads `table[key]`."""
    if not isinstance(node, nodes.Call) or not isinstance(node.func, nodes.Attribute) or not node.args:
        return False
    owner, key = source_of(node.func.expr), source_of(node.args[0])
    return node.func.attrname in KEYED and (owner, key) == (source_of(element.value), source_of(element.slice))


def hands_back(activation: Activation, value: Any, place: Place) -> bool:
    """True for locals that are read from the state on one way, and made on ways that exclude it: a store of them
    leaves the state as it was, or comes after no read.
    """
    names = value.elts if isinstance(value, nodes.Tuple) else [value]
    return bool(names) and all(isinstance(n, nodes.Name) and _unchanged(activation, n.name, place) for n in names)


def _unchanged(activation: Activation, name: str, place: Place) -> bool:
    made = [v for v in assignments(activation, name) if activation.reached(v)]
    taken = [v for v in made if isinstance(v, _CHAINS) and places.of(activation, v) == place]
    return 0 < len(taken) < len(made) and all(v in taken or all(exclusive(v, t) for t in taken) for v in made)


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
        name = last_name(func)
        if name in EXTREMES:
            return True
        if isinstance(func, nodes.Attribute) and name in CONVERSIONS:
            return repeats(activation, func.expr, place)
    return _is(activation, value, place)


def _is(activation: Activation, node: Any, place: Place) -> bool:
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname in CONVERSIONS:
        return _is(activation, node.func.expr, place)
    return isinstance(node, (nodes.Attribute, nodes.Name, nodes.Subscript)) and places.of(activation, node) == place
