"""Modules that carry a hook of a scope and that the checkpointed region in it does not run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute
from flake8_tensorbranch.engine.checkpointing.siblings import stored_values
from flake8_tensorbranch.engine.inference.resolve import Resolver
from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.knowledge.modules import ITERATES_MODULES
from flake8_tensorbranch.syntax.binding import once, once_global
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

_ANY: Final = frozenset({*ITERATES_MODULES, "_modules", "__dict__", "get_submodule"})
_BY_NAME: Final = frozenset({"getattr", "vars", "locals", "globals", "super"})


def runs_without(
    resolver: Resolver, target: Expr, made: Recompute, functions: Iterable[FunctionInfo], manager: nodes.Call
) -> bool:
    """True where the region names other modules only, each made apart from the one that carries the hook.

    `functions` are those that the region runs, `manager` is the expression that opens the scope.
    """
    start = made.function
    if start is None or start.module is not target.module:
        return False
    tops: list[Any] = [start.node, *(f.node for f in functions)]
    if any(f.module is not target.module for f in functions) or not _is_plain(tops):
        return False
    node: Any = target.node
    if isinstance(node, nodes.Name):
        return _is_only(target, node.name, manager) and not any(
            n.name == node.name for top in tops for n in top.nodes_of_class(nodes.Name)
        )
    scope = target.scope
    if not isinstance(node, nodes.Attribute) or scope is None or scope.cls is None or not scope.takes_self:
        return False
    own = scope.params[0].name
    if dotted(node) != f"{own}.{node.attrname}":
        return False
    read = [n for top in tops for n in top.nodes_of_class(nodes.Attribute) if dotted(n.expr) == own]
    classes = resolver.lineage(scope.cls)
    names = dict.fromkeys(n.attrname for n in read if all(n.attrname not in cls.methods for cls in classes))
    whole = [n for top in tops for n in top.nodes_of_class(nodes.Name) if n.name == own]
    if len(whole) != len(read) or not names:
        return False
    return all(name != node.attrname and _is_without(classes, name, node.attrname) for name in names)


def _is_plain(tops: list[Any]) -> bool:
    """True for code that comes to no module but by its name."""
    for top in tops:
        if any(n.attrname in _ANY for n in top.nodes_of_class(nodes.Attribute)):
            return False
        if any(n.name in _BY_NAME for n in top.nodes_of_class(nodes.Name)):
            return False
    return True


def _is_without(classes: list[ClassInfo], name: str, other: str) -> bool:
    """True for an attribute that is always built of no attribute of the object, and of nothing that is another one."""
    values, others = stored_values(classes, name), stored_values(classes, other)
    if not values or not others or not all(isinstance(v, nodes.Call) for _, v in (*values, *others)):
        return False
    return not any(
        m.params and dotted(n.expr) == m.params[0].name
        for m, value in values
        for n in value.nodes_of_class(nodes.Attribute)
    )


def _is_only(target: Expr, name: str, manager: nodes.Call) -> bool:
    """True for a module that its name alone holds: bound once to what builds it, and handed to the scope only."""
    where = owner(target.scope, name)
    made = once_global(target.module.bindings, name) if where is None else once(where.local_names, name)
    if not isinstance(made, (nodes.Call, nodes.Tuple)):
        return False
    top = target.module.tree if where is None else where.node
    for read in top.nodes_of_class(nodes.Name):
        up = read.parent
        called = isinstance(up, nodes.Call) and up.func is read
        if read.name != name or called or isinstance(up, nodes.Attribute):
            continue
        if not isinstance(up, nodes.Call) or dotted(up.func) != dotted(manager.func):
            return False
    return True
