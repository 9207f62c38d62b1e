"""The commonest nodes of a tree, made without the detours of astroid's rebuilder and of the nodes' constructors.

Three in four nodes are names, literals, attributes, calls, keywords or assignments. astroid spends two Python calls on
visiting each, and two or three on constructors that do nothing but set fields. Here these fields are set in place,
where the installed astroid's constructors set exactly those (`_AS_KNOWN`); elsewhere astroid's own methods build.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from astroid import nodes
from astroid.rebuilder import TreeRebuilder

Visit = Callable[[Any, Any], Any]

_new: Final = object.__new__
_PLACE: Final = ("lineno", "col_offset", "parent", "end_lineno", "end_col_offset", "position")


def _placed(cls: type, node: Any, parent: Any) -> Any:
    """A node of a class, with its place and nothing else set."""
    new: Any = _new(cls)
    new.lineno = node.lineno
    new.col_offset = node.col_offset
    new.parent = parent
    new.end_lineno = node.end_lineno
    new.end_col_offset = node.end_col_offset
    new.position = None
    return new


def _sets(node: nodes.NodeNG, *own: str) -> bool:
    """True where the constructor of a node has set its place and its `own` fields alone."""
    return set(vars(node)) == {*_PLACE, *own}


def _constructors_are_known() -> bool:
    at: dict[str, Any] = {"lineno": 1, "col_offset": 0, "parent": None, "end_lineno": 1, "end_col_offset": 1}
    return (
        _sets(nodes.Name("x", **at), "name")
        and _sets(nodes.AssignName("x", **at), "name")
        and _sets(nodes.Const(1, **at), "value", "kind")
        and _sets(nodes.Attribute("x", **at), "attrname")
        and _sets(nodes.Call(**at))
        and _sets(nodes.Keyword("x", **at), "arg")
        and _sets(nodes.Assign(**at))
    )


_AS_KNOWN: Final = _constructors_are_known()


class _Methods(dict[type, Visit]):
    """The method that visits each class of `ast`; astroid's own by name, looked up when it is first needed."""

    def __init__(self, rebuilder: TreeRebuilder) -> None:
        super().__init__()
        self._rebuilder = rebuilder

    def __missing__(self, kind: type) -> Visit:
        method: Visit = getattr(self._rebuilder, "visit_" + kind.__name__.replace("_", "").lower())
        self[kind] = method
        return method


class DirectRebuilder(TreeRebuilder):
    """astroid's rebuilder with methods of its own for the commonest nodes."""

    def __init__(self, manager: Any) -> None:
        super().__init__(manager)
        self._visit_meths: dict[Any, Any] = _Methods(self)
        if _AS_KNOWN:
            self._visit_meths.update(
                {
                    ast.Name: self._name,
                    ast.arg: self._arg,
                    ast.Constant: self._constant,
                    ast.Attribute: self._attribute,
                    ast.Call: self._call,
                    ast.keyword: self._keyword,
                    ast.Assign: self._assign,
                }
            )

    def visit(self, node: Any, parent: Any) -> Any:
        """Visit a node by the method of its class."""
        return None if node is None else self._visit_meths[type(node)](node, parent)

    def _name(self, node: ast.Name, parent: Any) -> Any:
        kind = type(node.ctx)
        if kind is ast.Load:
            new = _placed(nodes.Name, node, parent)
        elif kind is ast.Store:
            new = _placed(nodes.AssignName, node, parent)
        else:
            return self.visit_name(node, parent)
        new.name = node.id
        if kind is ast.Store:
            self._save_assignment(new)
        return new

    def _arg(self, node: ast.arg, parent: Any) -> Any:
        new = _placed(nodes.AssignName, node, parent)
        new.name = node.arg
        self._save_assignment(new)
        return new

    def _constant(self, node: ast.Constant, parent: Any) -> Any:
        new = _placed(nodes.Const, node, parent)
        new.value = node.value
        new.kind = node.kind
        return new

    def _attribute(self, node: ast.Attribute, parent: Any) -> Any:
        if type(node.ctx) is not ast.Load:
            return self.visit_attribute(node, parent)
        new = _placed(nodes.Attribute, node, parent)
        new.attrname = node.attr
        value = node.value
        new.expr = self._visit_meths[type(value)](value, new)
        return new

    def _call(self, node: ast.Call, parent: Any) -> Any:
        new = _placed(nodes.Call, node, parent)
        methods, func = self._visit_meths, node.func
        new.func = methods[type(func)](func, new)
        new.args = [methods[type(arg)](arg, new) for arg in node.args]
        new.keywords = [methods[ast.keyword](keyword, new) for keyword in node.keywords]
        return new

    def _keyword(self, node: ast.keyword, parent: Any) -> Any:
        new = _placed(nodes.Keyword, node, parent)
        new.arg = node.arg
        value = node.value
        new.value = self._visit_meths[type(value)](value, new)
        return new

    def _assign(self, node: ast.Assign, parent: Any) -> Any:
        if node.type_comment:
            return self.visit_assign(node, parent)
        new = _placed(nodes.Assign, node, parent)
        methods, value = self._visit_meths, node.value
        new.targets = [methods[type(target)](target, new) for target in node.targets]
        new.value = methods[type(value)](value, new)
        new.type_annotation = None
        return new
