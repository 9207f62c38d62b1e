"""What a statement stores on an object: an attribute, however it is named, or an item of what an attribute holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from astroid import nodes

from flake8_tensorbranch.knowledge.containers import ALTERS
from flake8_tensorbranch.knowledge.modules import NAMING, OWN_DICTIONARIES


@dataclass(frozen=True, slots=True)
class Stored:
    """One store: the object, the attribute, what it gets (None where that is not one expression), and the node that
    says so.

    `key` is the subscript where an item of the attribute is set, or the call that changes what the attribute holds by
    a `method`, and not the attribute itself.
    """

    holder: Any
    name: str
    said: nodes.NodeNG
    value: nodes.NodeNG | None = None
    key: Any = None
    method: str = ""


def stores(statement: nodes.NodeNG, nested: tuple[type, ...] = ()) -> Iterator[Stored]:
    """Everything that a statement stores, but in the functions and classes that it defines."""
    if isinstance(statement, (nodes.Assign, nodes.AugAssign, nodes.AnnAssign)):
        for target in statement.targets if isinstance(statement, nodes.Assign) else [statement.target]:
            for each in target.elts if isinstance(target, (nodes.Tuple, nodes.List)) else [target]:
                found = of_target(each, statement.value if each is target else None)
                if found is not None:
                    yield found
    for call in statement.nodes_of_class(nodes.Call, nested or None):
        stored = of_call(call)
        if stored is not None:
            yield stored
        yield from _updated(call)


def _updated(call: nodes.Call) -> Iterator[Stored]:
    """The attributes that `o.__dict__.update(name=v)` and `vars(o).update({"name": v})` store."""
    func = call.func
    if not isinstance(func, nodes.Attribute) or func.attrname != "update":
        return
    holder = dictionary_of(func.expr, OWN_DICTIONARIES)
    pairs: list[tuple[Any, Any]] = [(k, v) for a in call.args if isinstance(a, nodes.Dict) for k, v in a.items]
    given = [(_constant(k), v) for k, v in pairs] + [(k.arg or "", k.value) for k in call.keywords]
    if holder is not None:
        yield from (Stored(holder, name, call, value) for name, value in given if name)


def takings(statement: nodes.NodeNG, behind: Callable[[Any], Any], nested: tuple[type, ...] = ()) -> Iterator[Stored]:
    """Everything that a statement takes from an object, or changes in what an attribute of it holds: `del o.name`,
    `delattr(o, "name")`, `del o.items[0]`, `o.items.append(x)`; `behind` gives what a local name stands for.
    """
    for target in statement.targets if isinstance(statement, nodes.Delete) else ():
        if isinstance(target, nodes.DelAttr):
            yield Stored(target.expr, target.attrname, target)
        elif (found := of_target(target, None)) is not None:
            whole = found.key is None or _constant(found.key)
            yield found if whole else replace(found, key=target)  # what follows in a list moves up
    for call in statement.nodes_of_class(nodes.Call, nested or None):
        func, args = behind(call.func), list(call.args)
        if isinstance(func, nodes.Name) and func.name == "delattr" and len(args) == 2 and _constant(args[1]):
            yield Stored(args[0], _constant(args[1]), call)
        elif isinstance(func, nodes.Attribute) and func.attrname == "__delattr__" and args and _constant(args[-1]):
            yield Stored(args[0] if len(args) == 2 else func.expr, _constant(args[-1]), call)
        elif isinstance(func, nodes.Attribute) and func.attrname in ALTERS:
            held = behind(func.expr)
            first = args[0] if func.attrname == "pop" and args and _constant(args[0]) else call
            if not isinstance(held, nodes.Attribute):
                continue
            if held.attrname not in OWN_DICTIONARIES:
                yield Stored(held.expr, held.attrname, call, held, first, func.attrname)
            elif name := _constant(first):
                yield Stored(held.expr, name, call)


def dictionary_of(node: Any, names: tuple[str, ...] = ("__dict__",)) -> Any:
    """The object whose attributes a dictionary of one of these names holds: `o` in `o.__dict__` and `vars(o)`; None for
    anything else.
    """
    if isinstance(node, nodes.Attribute) and node.attrname in names:
        return node.expr
    called = node.func if isinstance(node, nodes.Call) else None
    return node.args[0] if isinstance(called, nodes.Name) and called.name == "vars" and node.args else None


def of_target(target: Any, value: nodes.NodeNG | None) -> Stored | None:
    """What assigning to a target stores on an object; None for a plain name."""
    if isinstance(target, nodes.AssignAttr):
        return Stored(target.expr, target.attrname, target, value)
    if not isinstance(target, nodes.Subscript):
        return None
    inner, depth = target, 1
    while isinstance(inner.value, nodes.Subscript):
        inner, depth = inner.value, depth + 1
    held, name = inner.value, _constant(inner.slice)
    holder = dictionary_of(held, OWN_DICTIONARIES)
    if holder is not None:
        return Stored(holder, name, target, value) if name and depth == 1 else None
    if not isinstance(held, nodes.Attribute):
        return None
    return Stored(held.expr, held.attrname, target, value, inner.slice)


def of_call(call: nodes.Call) -> Stored | None:
    """What a call stores under a name that stands in it: `setattr(o, "name", v)`, `o.register_buffer("name", v)`."""
    func, args = call.func, list(call.args)
    if isinstance(func, nodes.Name) and func.name == "setattr":
        holder = args.pop(0) if args else None
    elif isinstance(func, nodes.Attribute) and func.attrname in NAMING:
        holder = args.pop(0) if func.attrname == "__setattr__" and len(args) == 3 else func.expr
    else:
        return None
    given = {k.arg: k.value for k in call.keywords}
    name = _constant(args[0] if args else given.get("name"))
    value = args[1] if len(args) > 1 else next((v for k, v in given.items() if k not in ("name", "persistent")), None)
    return Stored(holder, name, call, value) if holder is not None and name else None


def _constant(node: Any) -> str:
    return node.value if isinstance(node, nodes.Const) and isinstance(node.value, str) else ""
