"""The path of attributes and indices that leads from a name to a module."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.lookup.origins import Expr

Path = tuple[str, ...]
"""Attributes and constant indices, from a module to one in it."""

EACH: Final = "*"
"""The step of a path to every element of a list of modules."""

_STEPS: Final = 10
Rooted = tuple[nodes.Name | None, Path, tuple[nodes.NodeNG, ...]]
_NO_PATH: Final[Rooted] = (None, (), ())


def rooted(expr: Expr, depth: int = _STEPS) -> Rooted:
    """The name that a path begins with, through loops over its lists and names bound once; its steps; and the loops
    that choose among them. No name where an expression is no path.
    """
    node: Any = expr.node
    if depth <= 0:
        return _NO_PATH
    if isinstance(node, (nodes.Attribute, nodes.AssignAttr)):
        return _below(rooted(replace(expr, node=node.expr), depth - 1), node.attrname)
    if isinstance(node, nodes.Subscript):
        held = rooted(replace(expr, node=node.value), depth - 1)
        if isinstance(node.slice, nodes.Const):
            return _below(held, str(node.slice.value))
        index: Any = node.slice
        loop = binding(index)
        over = rooted(replace(expr, node=_indexed(loop, index.name)), depth - 1) if loop is not None else _NO_PATH
        same = held[0] is not None and over[0] is not None and (held[0].name, held[1]) == (over[0].name, over[1])
        return _below(held, EACH, loop) if same else _NO_PATH
    if not isinstance(node, nodes.Name):
        return _NO_PATH
    loop = binding(node)
    if loop is not None:
        return _below(rooted(replace(expr, node=_iterated(loop)), depth - 1), EACH, loop)
    bound: Any = expr.scope.local_names.get(node.name, ()) if expr.scope is not None else ()
    value = getattr(bound[0].parent, "value", None) if len(bound) == 1 else None
    behind = isinstance(value, (nodes.Attribute, nodes.Subscript))
    found = rooted(replace(expr, node=value), depth - 1) if behind else _NO_PATH
    return (node, (), ()) if found[0] is None else found


def _below(held: Rooted, step: str, *chosen: nodes.NodeNG) -> Rooted:
    name, path, loops_ = held
    return _NO_PATH if name is None else (name, (*path, step), (*loops_, *chosen))


def binding(name: Any) -> Any:
    """The loop around a name that binds it to a new element in every round; None where there is none."""
    around = loops.around(name) if isinstance(name, nodes.Name) else ()
    return next((loop for loop in around if name.name in loops.targets(loop)), None)


def _indexed(loop: Any, name: str) -> Any:
    """The list whose indices a loop goes through by a name: `for i, x in enumerate(l)`, `for i in range(len(l))`."""
    target: Any = loop.target
    over: Any = loop.iter
    if _calls(over, "enumerate"):
        counted = isinstance(target, nodes.Tuple) and _is_name(target.elts[0], name)
        return over.args[0] if counted and over.args else None
    measured: Any = over.args[0] if _calls(over, "range") and len(over.args) == 1 else None
    return measured.args[0] if _calls(measured, "len") and measured.args and _is_name(target, name) else None


def _iterated(loop: Any) -> Any:
    """The list that a loop goes over, by itself or counted; None for any other loop."""
    target: Any = loop.target
    over: Any = loop.iter
    if _calls(over, "enumerate"):
        counted = isinstance(target, nodes.Tuple) and len(target.elts) == 2 and bool(over.args)
        return over.args[0] if counted else None
    return over if isinstance(target, nodes.AssignName) else None


def _calls(node: Any, name: str) -> bool:
    return isinstance(node, nodes.Call) and _is_name(node.func, name)


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, (nodes.Name, nodes.AssignName)) and node.name == name


def leads(at: Path, path: Path) -> bool:
    """True for a path that another one begins with, elements of lists counting as each other's."""
    return len(at) <= len(path) and all(a == b or EACH in (a, b) for a, b in zip(at, path, strict=False))


def differ(one: Path, other: Path) -> bool:
    """True for two paths that lead to different modules."""
    return any(a != b and EACH not in (a, b) for a, b in zip(one, other, strict=False))
