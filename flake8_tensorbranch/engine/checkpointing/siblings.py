"""Whether two expressions of one scope hold different objects of one class: parameters, attributes made apart."""

from __future__ import annotations

from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.inference.resolve import Resolver
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.knowledge.containers import CHANGES
from flake8_tensorbranch.syntax.binding import binder, once, once_global
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted


def others(resolver: Resolver, target: Expr, called: nodes.NodeNG, scope_called: FunctionInfo | None) -> bool:
    """True for another object of one class than the module that is called: another parameter, another attribute."""
    scope, paths = target.scope, [(dotted(node) or "").split(".") for node in (target.node, called)]
    if scope is None or scope is not scope_called or not all(paths) or paths[0][0] == "" or paths[1][0] == "":
        return False
    (root, *rest), (own, *names) = paths
    if root == own and scope.cls is not None and scope.takes_self and root == scope.params[0].name:
        return (
            bool(rest and names) and rest[0] != names[0] and built_apart(resolver.lineage(scope.cls), rest[0], names[0])
        )
    bound = [scope.local_names.get(name, ()) for name in (root, own)]
    if root == own or all(len(b) == 1 and isinstance(b[0].parent, nodes.Arguments) for b in bound):
        return root != own
    values = [_made(scope, name) for name in (root, own)]
    return all(values) and all(
        _is_made(v, name, []) for made, name in zip(values, (own, root), strict=True) for v in made
    )


def _made(scope: FunctionInfo, name: str) -> list[Any]:
    """What makes the object that a local or global name holds, where it is bound once; the elements of the literal
    that a loop goes over, by a name of it or in place.
    """
    local = scope.local_names
    bound = local.get(name, ())
    loop = binder(bound[0]) if len(bound) == 1 else None
    if isinstance(loop, nodes.For) and loop.target is bound[0]:
        literal: Any = loop.iter
        if isinstance(literal, nodes.Name):
            uses = (n.parent for n in scope.node.nodes_of_class(nodes.Name) if n.name == literal.name)
            changed = any(isinstance(up, nodes.Attribute) and up.attrname in CHANGES for up in uses)
            literal = None if changed else once(local, literal.name)
        return list(literal.elts) if isinstance(literal, (nodes.List, nodes.Tuple)) else []
    found = once(local, name) if name in local else once_global(scope.module.bindings, name)
    return [found] if isinstance(found, nodes.Call) else []


def built_apart(classes: list[ClassInfo], one: str, other: str) -> bool:
    """True for two attributes, one of which is always made anew: copied, or constructed without the other."""
    values = [[value for _, value in stored_values(classes, name)] for name in (one, other)]
    if not all(values):
        return False
    return any(
        all(_is_made(v, name, aside) for v in mine)
        for mine, name, aside in ((values[0], other, values[1]), (values[1], one, values[0]))
    )


def stored_values(classes: list[ClassInfo], name: str) -> list[tuple[FunctionInfo, Any]]:
    """What the methods of classes assign to an attribute, each with its method; None for a target of anything else."""
    stores = ((m, s) for cls in classes for m in cls.methods.values() for s in m.attribute_stores)
    return [(m, getattr(s.parent, "value", None)) for m, s in stores if s.attrname == name]


def _is_made(value: Any, other: str, aside: list[Any]) -> bool:
    if not isinstance(value, nodes.Call):
        return False
    if (dotted(value.func) or "").rsplit(".", 1)[-1] == "deepcopy":
        return True
    given = {dotted(n) for n in value.nodes_of_class((nodes.Name, nodes.Attribute))}
    if any(path is not None and (path == other or path.endswith(f".{other}")) for path in given):
        return False
    return not given & {dotted(v) for v in aside if v}
