"""Reads and writes of attributes and globals in compiled functions, by whichever name and spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.stores import of_call, of_target
from flake8_tensorbranch.engine.compiling import kept
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import HOST, SHAPE
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.knowledge.containers import FILLS, RESIZES, TAKES
from flake8_tensorbranch.syntax.binding import assigned, once
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted
from flake8_tensorbranch.syntax.printing import source_of

Place = tuple[ClassInfo | None, str]  # an attribute of a class; a global where the class is None


@dataclass(frozen=True, slots=True)
class Access:
    """One read or write of a place; `how`: ``read``, ``set``, ``step`` (from its own value), ``grow`` or ``empty``.

    Where an item is stored the container is read; `value` is the key then.
    """

    place: Place
    node: nodes.NodeNG
    how: str
    value: nodes.NodeNG | None = None


class Reader:
    """Tells the accesses of one program; `place` says which place a name or attribute stands for, `attribute` which an
    object has under a name.
    """

    def __init__(
        self,
        program: Program,
        place: Callable[[FunctionInfo | None, nodes.NodeNG], Place | None],
        attribute: Callable[[FunctionInfo | None, Any, str], Place | None],
    ) -> None:
        self.program = program
        self.place = place
        self.attribute = attribute

    def access(self, function: FunctionInfo | None, node: nodes.NodeNG) -> Access | None:
        """The access that a node is; None for all that is no place."""
        if isinstance(node, nodes.Subscript) and _is_globals(node):
            return self._global(function, node)
        if isinstance(node, (nodes.Call, nodes.Subscript)):
            return self._named(function, node)
        if not isinstance(node, (nodes.Attribute, nodes.AssignAttr, nodes.Name, nodes.AssignName)):
            return None
        place = self.place(function, node)
        if place is None:
            return None
        parent = node.parent
        if isinstance(node, (nodes.AssignAttr, nodes.AssignName)):
            return self._written(function, node, place)
        method = _method(function, node)
        if method in RESIZES:
            return Access(place, node, "grow", None)
        if method == "clear":
            return Access(place, node, "empty")
        if method == "setdefault" and self._new_key(function, _arguments(node)):
            return Access(place, node, "grow", None)
        stored = parent.parent if isinstance(parent, nodes.Subscript) and parent.value is node else None
        if isinstance(parent, nodes.Subscript) and isinstance(stored, nodes.Assign) and parent in stored.targets:
            new = self._new_key(function, [parent.slice])
            return Access(place, node, "grow" if new else "read", None if new else parent.slice)
        return Access(place, node, "read")

    def _named(self, function: FunctionInfo | None, node: Any) -> Access | None:
        """The store of an attribute by its name: `setattr(o, "n", v)`, `o.__dict__["n"] += 1`."""
        statement = node.parent
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        if isinstance(node, nodes.Call):
            stored = of_call(node)
        else:
            stored = of_target(node, getattr(statement, "value", None)) if any(t is node for t in targets) else None
        if stored is None or stored.value is None or stored.key is not None:
            return None
        place = self.attribute(function, stored.holder, stored.name)
        if place is None:
            return None
        path = f"{dotted(stored.holder)}.{stored.name}"
        own = any(dotted(n) == path for n in stored.value.nodes_of_class(nodes.Attribute)) or any(
            _asks(call, stored.holder, stored.name) for call in stored.value.nodes_of_class(nodes.Call)
        )
        return Access(place, node, "step" if own or isinstance(statement, nodes.AugAssign) else "set", stored.value)

    def _global(self, function: FunctionInfo | None, node: Any) -> Access | None:
        """The access of a global by its name, `globals()["n"]`."""
        key, parent = node.slice, node.parent
        if not isinstance(key, nodes.Const) or function is None or function.module is not self.program.index:
            return None
        place = (None, str(key.value))
        if isinstance(parent, nodes.AugAssign) and parent.target is node:
            return Access(place, node, "step", parent.value)
        if isinstance(parent, nodes.Assign) and node in parent.targets:
            parts = parent.value.nodes_of_class((nodes.Subscript, nodes.Name))
            own = any(getattr(n, "name", "") == key.value or source_of(n) == source_of(node) for n in parts)
            return Access(place, node, "step" if own else "set", parent.value)
        return Access(place, node, "read")

    def _written(self, function: FunctionInfo | None, node: Any, place: Place) -> Access | None:
        parent = node.parent
        if isinstance(parent, nodes.AugAssign):
            return Access(place, node, "step", parent.value)
        pair = isinstance(parent, nodes.Tuple) and isinstance(parent.parent, nodes.Assign)
        value = assigned(node) if pair else getattr(parent, "value", None)
        if not (pair or isinstance(parent, (nodes.Assign, nodes.AnnAssign))) or value is None:
            return None
        path = dotted(node)
        own = path is not None and any(dotted(n) == path for n in value.nodes_of_class((nodes.Attribute, nodes.Name)))
        if not own and path is not None and function is not None and isinstance(value, nodes.BinOp):
            own = loops.counted(value, loops.aliases(function, {path}))
        return Access(place, node, "step" if own else "set", value)

    def _new_key(self, function: FunctionInfo | None, keys: list[Any]) -> bool:
        """True for a key that is another one from call to call: a size, the length so far."""
        for key in keys[:1]:
            value = self.program.value(function, key)
            parts = [value, *(v for _, v in value.items or ())]
            if any(v.deps & SHAPE and v.kinds & HOST for v in parts):
                return True
            return isinstance(key, nodes.Call) and isinstance(key.func, nodes.Name) and key.func.name == "len"
        return False


def evens_out(accesses: list[Access], function: FunctionInfo | None) -> bool:
    """True where what a function puts into a container is taken out by it, too, or the container starts anew there;
    one that it makes itself starts once.
    """
    methods = {getattr(a.node.parent, "attrname", "") for a in accesses if a.how == "grow"}
    own = function is not None and kept.is_of(accesses[0].place[1], function)
    if any(a.how == "empty" or (a.how == "set" and not own) for a in accesses):
        return bool(methods)
    return bool(methods & FILLS) and bool(methods & TAKES)


def _asks(call: nodes.Call, holder: nodes.NodeNG, name: str) -> bool:
    """True for `getattr(holder, name)`."""
    if not isinstance(call.func, nodes.Name) or call.func.name != "getattr" or len(call.args) < 2:
        return False
    asked = call.args[1]
    return isinstance(asked, nodes.Const) and asked.value == name and dotted(call.args[0]) == dotted(holder)


def _is_globals(node: nodes.Subscript) -> bool:
    called = node.value.func if isinstance(node.value, nodes.Call) else None
    return isinstance(called, nodes.Name) and called.name == "globals"


def _method(function: FunctionInfo | None, node: Any) -> str:
    """The method of what a node gives that is called: there, or through a local that holds the method."""
    parent = node.parent
    if not isinstance(parent, nodes.Attribute):
        return ""
    if isinstance(parent.parent, nodes.Call) and parent.parent.func is parent:
        return str(parent.attrname)
    up: Any = parent.parent
    target = up.targets[0] if isinstance(up, nodes.Assign) and up.value is parent else None
    if function is not None and isinstance(target, nodes.AssignName):
        called = (c.func for c in function.calls)
        if any(isinstance(f, nodes.Name) and f.name == target.name for f in called):
            return str(parent.attrname)
    return ""


def _arguments(node: Any) -> list[Any]:
    call = node.parent.parent
    return list(call.args) if isinstance(call, nodes.Call) else []


def behind(function: FunctionInfo, node: Any) -> Any:
    """What a local stands for whose items or methods are used, bound once to an attribute or a name; else the node."""
    if not isinstance(node, nodes.Name) or not isinstance(node.parent, (nodes.Subscript, nodes.Attribute)):
        return node
    value = once(function.local_names, node.name)
    return value if isinstance(value, (nodes.Attribute, nodes.Name)) and dotted(value) else node


def registered_names(function: FunctionInfo) -> Iterator[str]:
    """The names under which a function registers tensors or modules."""
    for call in function.calls:
        if isinstance(call.func, nodes.Attribute) and call.func.attrname.startswith("register_") and call.args:
            first = call.args[0]
            if isinstance(first, nodes.Const):
                yield str(first.value)
