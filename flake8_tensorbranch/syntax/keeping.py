"""What a method keeps on its own object beside plain assignments: attributes registered by name, items put in them."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import FunctionInfo

# Methods by which a module or metric defines the attribute that their first argument names.
REGISTERING: Final = frozenset(
    {"register_buffer", "register_parameter", "add_state", "add_module", "register_module", "register_memory"}
)

# Methods that put something into a list, a set or a mapping.
_FILLING: Final = frozenset("append appendleft add insert extend update setdefault".split())

_DEPTH: Final = 4  # elements and second names between what is filled and the attribute
_PLACES: Final = frozenset({nodes.Name, nodes.Attribute, nodes.Subscript})

ANY: Final = "*"  # in the name of an attribute: the part that is put together at run time
SHORTEST: Final = 3  # characters that tell an attribute


def filled(function: FunctionInfo, self_name: str) -> list[str]:
    """The attributes of its own object that a method puts something into: `self.kept[k] = x`, `self.kept.append(x)`,
    also through an element or a second name of it.
    """
    holders: list[nodes.NodeNG | None] = [target.value for target in function.fills]
    holders += [c.func.expr for c in function.calls if type(c.func) is nodes.Attribute and c.func.attrname in _FILLING]
    found = []
    for holder in holders:
        for _ in range(_DEPTH):
            if type(holder) is nodes.Subscript:
                holder = holder.value
            elif type(holder) is nodes.Call:
                holder = holder.func.expr if type(holder.func) is nodes.Attribute else None
            elif type(holder) is nodes.Name:
                holder = alias(function, holder.name)
        if type(holder) is nodes.Attribute and type(holder.expr) is nodes.Name and holder.expr.name == self_name:
            found.append(holder.attrname)
    return found


def alias(function: FunctionInfo, name: str) -> nodes.NodeNG | None:
    """What a local is a second name of wherever it is used: a name, an attribute, an element of either; else None."""
    value = once(function.local_names, name)
    if type(value) is nodes.Call:
        return value if type(value.func) is nodes.Attribute and value.func.attrname == "setdefault" else None
    return value if type(value) in _PLACES else None


def registered(call: nodes.Call, self_name: str) -> list[str]:
    """The attributes that `self.register_buffer("name", ...)`, `setattr(self, "name", ...)` and their like define; the
    name may be that of a loop over constants.
    """
    func = call.func
    first = call.args[0] if call.args else None
    if isinstance(func, nodes.Attribute):
        if func.attrname not in REGISTERING or not isinstance(func.expr, nodes.Name) or func.expr.name != self_name:
            return []
        if first is None:
            first = next((k.value for k in call.keywords if k.arg == "name"), None)
    elif isinstance(func, nodes.Name) and func.name == "setattr" and len(call.args) == 3:
        if not (isinstance(first, nodes.Name) and first.name == self_name):
            return []
        first = call.args[1]
    else:
        return []
    if isinstance(first, nodes.Const):
        return [first.value] if isinstance(first.value, str) else []
    if isinstance(first, nodes.Name):
        return _looped(call, first.name)
    start, end = ends(first)
    return [f"{start}{ANY}{end}"] if len(start) + len(end) >= SHORTEST else []


def ends(node: nodes.NodeNG | None) -> tuple[str, str]:
    """How a text that is put together begins and ends, as far as it is written there."""
    if isinstance(node, nodes.JoinedStr) and node.values:
        return _text(node.values[0]), _text(node.values[-1])
    if isinstance(node, nodes.BinOp) and node.op == "+":
        return ends(node.left)[0] or _text(node.left), _text(node.right)
    return "", ""


def _text(node: nodes.NodeNG) -> str:
    return node.value if isinstance(node, nodes.Const) and isinstance(node.value, str) else ""


def _looped(node: nodes.NodeNG, name: str) -> list[str]:
    """The strings that a loop around a node gives a name, one after the other."""
    up = node.parent
    while up is not None and not isinstance(up, FUNCTIONS):
        if isinstance(up, nodes.For) and isinstance(up.iter, (nodes.Tuple, nodes.List)):
            items: list[Any] = []
            if isinstance(up.target, nodes.Tuple):
                names = [getattr(t, "name", "") for t in up.target.elts]
                if name in names:
                    items = [_at(e, names.index(name)) for e in up.iter.elts]
            elif getattr(up.target, "name", "") == name:
                items = list(up.iter.elts)
            if items:
                return [i.value for i in items if isinstance(i, nodes.Const) and isinstance(i.value, str)]
        up = up.parent
    return []


def _at(node: Any, position: int) -> Any:
    elements = node.elts if isinstance(node, (nodes.Tuple, nodes.List)) else []
    return elements[position] if position < len(elements) else None
