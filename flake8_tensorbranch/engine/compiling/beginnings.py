"""What a place or an item of a container begins as, by the form of what is stored there first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.syntax.names import FunctionInfo, dotted
from flake8_tensorbranch.syntax.printing import source_of

_CONTAINERS: Final = (nodes.List, nodes.Dict, nodes.Tuple, nodes.Set, nodes.ListComp, nodes.DictComp)
_MAKERS: Final = frozenset({"list", "dict", "set", "deque", "OrderedDict", "defaultdict"})
_MAPPINGS: Final = frozenset({"dict", "OrderedDict", "defaultdict"})


def form(value: nodes.NodeNG) -> str:
    """``int``, ``str``, ``float``, ``bool``, ``length`` (a container), or another word for what is none of these."""
    if isinstance(value, nodes.Const):
        names = {int: "int", str: "str", float: "float", bool: "bool"}
        return names.get(type(value.value), "none")
    if isinstance(value, _CONTAINERS):
        return "length"
    if isinstance(value, nodes.Call):
        name = (dotted(value.func) or "").rsplit(".", 1)[-1]
        if name in _MAKERS and not any(k.arg == "maxlen" for k in value.keywords):
            return "length"
        return {"int": "int", "len": "int", "str": "str", "float": "float"}.get(name, "call")
    return "expression"


def is_mapping(value: nodes.NodeNG | None) -> bool:
    """True for a dict, written out or made by a call."""
    if isinstance(value, nodes.Call):
        return (dotted(value.func) or "").rsplit(".", 1)[-1] in _MAPPINGS
    return isinstance(value, (nodes.Dict, nodes.DictComp))


def default(function: FunctionInfo, value: nodes.NodeNG | None) -> nodes.NodeNG | None:
    """The default of the parameter that a stored name is, else the value."""
    if isinstance(value, nodes.Name):
        for param in function.params:
            if param.name == value.name:
                said = source_of(param.annotation) if param.annotation is not None else ""
                return param.default or {"int": nodes.Const(0), "float": nodes.Const(0.0)}.get(said, value)
    return value


def item(container: nodes.NodeNG, keys: Sequence[nodes.NodeNG]) -> set[str]:
    """The forms that an item of a literal or new container may begin as, by its keys from the outermost on; empty
    where the source does not say.
    """
    found: list[Any] = [container]
    for depth, key in enumerate(keys):
        below: list[Any] = []
        for one in found:
            if isinstance(one, nodes.Call) and dotted(one.func) == "dict" and one.keywords and not one.args:
                wanted = getattr(key, "value", None)
                mine = [k.value for k in one.keywords if k.arg == wanted]
                below.extend(mine or [k.value for k in one.keywords])
            elif isinstance(one, nodes.Call):
                counts = _counts(one) and depth == len(keys) - 1
                if not counts:
                    return set()
                below.append(nodes.Const(0))
            else:
                below.extend(_items(one, key))
        found = below
    return {form(value) for value in found}


def _counts(made: nodes.Call) -> bool:
    """True for `Counter()` and `defaultdict(int)`."""
    name = (dotted(made.func) or "").rsplit(".", 1)[-1]
    first = made.args[0] if made.args else None
    return (name == "Counter" and first is None) or (
        name == "defaultdict" and isinstance(first, nodes.Name) and first.name == "int" and len(made.args) == 1
    )


def _items(container: Any, key: nodes.NodeNG) -> Iterator[Any]:
    """The item of a literal under a key; all of them where the key is no literal or none has it."""
    wanted = key.value if isinstance(key, nodes.Const) else None
    if isinstance(container, nodes.BinOp) and container.op == "*":
        yield from container.left.elts if isinstance(container.left, nodes.List) else ()
    elif isinstance(container, nodes.List):
        known = isinstance(wanted, int) and -len(container.elts) <= wanted < len(container.elts)
        yield from [container.elts[wanted]] if known and isinstance(wanted, int) else container.elts
    elif isinstance(container, nodes.Dict):
        mine = [v for k, v in container.items if wanted is not None and getattr(k, "value", None) == wanted]
        yield from mine or [v for _, v in container.items]
