"""What is put into containers in place: under a name, an attribute path, an element, a second name of any of them."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.engine.inference import mappings
from flake8_tensorbranch.engine.inference.attributes import state_path
from flake8_tensorbranch.engine.inference.evaluate import evaluate
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.lattice import CONTAINER, MAPPING, UNKNOWN, AbstractValue, element, join, make, opened
from flake8_tensorbranch.syntax.keeping import alias


def with_item(base: AbstractValue, index: AbstractValue, value: AbstractValue) -> AbstractValue:
    """A container after `base[index] = value`."""
    elem = join(element(base), value)
    if base.kinds == MAPPING and not base.refs and isinstance(index.const, str):
        named, rest = mappings.entries(base)
        return opened({**named, index.const: value}, rest, base.deps)
    items = None
    if base.items is not None and isinstance(index.const, (int, str)) and index.const in dict(base.items):
        items = tuple((k, value if k == index.const else v) for k, v in base.items)
    deps = base.deps | mappings.key_deps(index) if base.kinds & MAPPING else base.deps
    return make(base.kinds, deps, refs=base.refs, elem=elem, items=items)


def rebind(frame: Frame, node: nodes.NodeNG, value: AbstractValue) -> None:
    """Change what a name, an attribute path or an element holds, in place."""
    path = state_path(node)
    before = frame.state.get(path) if path is not None else None
    if path is not None:
        frame.keep(path, value)
    if isinstance(node, nodes.Name):
        old = frame.bound.get(node.name)
        frame.bound[node.name] = value if old is None else join(old, value)
        other = None if frame.function is None or value == before else alias(frame.function, node.name)
        if other is not None and evaluate(frame, other) == before:
            rebind(frame, other, value)
    elif isinstance(node, nodes.Attribute) and isinstance(node.expr, nodes.Name) and node.expr.name == frame.self_name:
        frame.store(node.attrname, value)
    elif isinstance(node, nodes.Subscript):
        _regrow(frame, node.value, node.slice, value)
    elif isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.args:
        if node.func.attrname == "setdefault":
            _regrow(frame, node.func.expr, node.args[0], value)


def _regrow(frame: Frame, place: nodes.NodeNG, key: nodes.NodeNG, value: AbstractValue) -> None:
    """Change what an element of a dict or list holds, in place: `lists[key].append(x)`."""
    holder = evaluate(frame, place) if isinstance(place, (nodes.Name, nodes.Attribute)) else UNKNOWN
    if holder.kinds in (MAPPING, CONTAINER):
        rebind(frame, place, with_item(holder, evaluate(frame, key), value))
