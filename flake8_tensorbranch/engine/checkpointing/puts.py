"""Where a program puts a module, or another `forward`, into a model from outside of the model's class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.ownlayers import class_of
from flake8_tensorbranch.engine.checkpointing.paths import EACH, Path, binding, rooted
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.regions.selected import classes_of
from flake8_tensorbranch.knowledge.modules import ITERATES_MODULES
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_KEPT: Final = (nodes.Assign, nodes.AnnAssign)
_LISTS: Final = (nodes.List, nodes.Tuple, nodes.ComprehensionScope)
_DEEP: Final = ITERATES_MODULES - {"children", "named_children"}


@dataclass(frozen=True, slots=True)
class Put:
    """One place: the name that it begins with, and the path from there, or the classes of the modules meant below it;
    neither where the source does not tell.
    """

    root: Expr
    path: Path = ()
    classes: tuple[ClassInfo, ...] = ()


class Puts:
    """Finds the places of one program."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins

    def by(self, value: Expr) -> Put | None:
        """Where a value is put: an attribute or item of another object than that of the method, alone or in a list."""
        child, up, each = value.node, value.node.parent, False
        while up is not None and not up.is_statement:
            if isinstance(up, nodes.Call) and isinstance(up.func, nodes.Name) and up.func.name == "setattr":
                if child is not up.args[-1] or len(up.args) != 3:
                    return None
                name: Any = up.args[1]
                put = self._at(value, up.args[0])
                told = isinstance(name, nodes.Const) and isinstance(name.value, str)
                return put if put is None else replace(put, path=(*put.path, name.value) if told else (), classes=())
            each = each or isinstance(up, _LISTS)
            child, up = up, up.parent
        if not isinstance(up, _KEPT):
            return None
        target = up.targets[0] if isinstance(up, nodes.Assign) else up.target
        put = self._at(value, target) if isinstance(target, (nodes.AssignAttr, nodes.Subscript)) else None
        return replace(put, path=(*put.path, EACH)) if put is not None and put.path and each else put

    def of(self, scope: FunctionInfo) -> Iterator[tuple[Expr, Put]]:
        """Where a function is put in the place of a module's `forward`, by itself, bound, or by the function that makes
        it; and where an object is put whose method it is.
        """
        values = self.origins.sites(scope.parent) if scope.parent is not None and _is_made(scope) else []
        if scope.module.mentions((".forward =",)):
            values = [*values, *_named(scope)]
        cls = class_of(scope)
        init = self.origins.program.analysis.resolver.method(cls, "__init__") if cls is not None else None
        if init is not None and init.cls is cls:
            values = [*values, *self.origins.sites(init)]
        for value in values:
            put = self.by(value)
            if put is not None:
                yield value, put

    def _at(self, value: Expr, target: Any) -> Put | None:
        """The module that a target sets, or whose `forward` it sets, but for those of the object whose method this is:
        they are seen from inside.
        """
        scope = value.scope
        name, path, _ = rooted(Expr(value.module, scope, target))
        classes: tuple[ClassInfo, ...] = ()
        if name is None:
            while isinstance(target, (nodes.Attribute, nodes.AssignAttr, nodes.Subscript)):
                target = target.value if isinstance(target, nodes.Subscript) else target.expr
            name, classes = self._walked(value, target)
        if name is None or (scope is not None and scope.takes_self and scope.params[0].name == name.name):
            return None
        return Put(Expr(value.module, scope, name), path[:-1] if path[-1:] == ("forward",) else path, classes)

    def _walked(self, value: Expr, name: Any) -> tuple[nodes.Name | None, tuple[ClassInfo, ...]]:
        """The name of the model whose modules a loop around a name goes over, and the classes that a test asks for; the
        name itself where it is none of them.
        """
        loop: Any = binding(name)
        func = loop.iter.func if loop is not None and isinstance(loop.iter, nodes.Call) else None
        if not isinstance(func, nodes.Attribute) or func.attrname not in ITERATES_MODULES:
            return (name if isinstance(name, nodes.Name) else None), ()
        found: list[ClassInfo] = []
        below, up = value.node, value.node.parent
        while up is not None and up is not loop and func.attrname in _DEEP:
            if isinstance(up, nodes.If) and below in up.body and isinstance(up.test, nodes.Call):
                asked = up.test.args
                if isinstance(up.test.func, nodes.Name) and up.test.func.name == "isinstance" and len(asked) == 2:
                    if isinstance(asked[0], nodes.Name) and asked[0].name == name.name:
                        found.extend(classes_of(self.origins.value(replace(value, node=asked[1]))))
            below, up = up, up.parent
        return rooted(replace(value, node=func.expr))[0], tuple(found)


def _is_made(scope: FunctionInfo) -> bool:
    """True for a function that the one around it returns."""
    return scope.parent is not None and any(_is_itself(scope, r.value) for r in scope.parent.returns_nodes)


def _named(scope: FunctionInfo) -> Iterator[Expr]:
    """The values of assignments around a function that are the function, or a call that it is given to."""
    top = scope.module.tree if scope.parent is None else scope.parent.node
    for kept in top.nodes_of_class(nodes.Assign, NESTED):
        given = kept.value.args if isinstance(kept.value, nodes.Call) else [kept.value]
        target = kept.targets[0]
        if isinstance(target, nodes.AssignAttr) and target.attrname == "forward":
            if any(_is_itself(scope, value) for value in given):
                yield Expr(scope.module, scope.parent, kept.value)


def _is_itself(scope: FunctionInfo, node: Any) -> bool:
    return node is scope.node or (isinstance(node, nodes.Name) and node.name == scope.name)
