"""How targets take their values: the parts of an unpacking, what a single target is assigned from, what binds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from astroid import nodes


def unpacked(target: nodes.Tuple | nodes.List, value: Any) -> Iterator[tuple[Any, Any]]:
    """The targets of an unpacking, each with its element of the value; with None where that is no tuple or list of the
    same length.
    """
    same = isinstance(value, (nodes.Tuple, nodes.List)) and len(value.elts) == len(target.elts)
    for position, inner in enumerate(target.elts):
        yield inner, value.elts[position] if same else None


def assigned(target: nodes.NodeNG) -> nodes.NodeNG | None:
    """The expression that a target is assigned from, through tuples of equal length; None for loops, imports,
    `with ... as`.
    """
    parent: Any = target.parent
    if isinstance(parent, (nodes.Assign, nodes.AnnAssign, nodes.NamedExpr)):
        value: nodes.NodeNG | None = parent.value
        return value
    if isinstance(parent, (nodes.Tuple, nodes.List)) and isinstance(parent.parent, nodes.Assign):
        element: nodes.NodeNG | None = next(e for t, e in unpacked(parent, parent.parent.value) if t is target)
        return element
    return None


def once(names: Mapping[str, Any], name: str) -> Any:
    """The expression that a local is assigned where one statement alone binds it; `names` are those of its function
    (`FunctionInfo.local_names`). None for any other name.
    """
    bound = names.get(name, ())
    return assigned(bound[0]) if len(bound) == 1 and isinstance(bound[0], nodes.AssignName) else None


def once_global(bindings: Mapping[str, Any], name: str) -> Any:
    """The expression of the one statement that binds a name of a module (`ModuleIndex.bindings`), which may be taken
    apart there; None for any other name.
    """
    bound = bindings.get(name, ())
    return getattr(bound[0].statement, "value", None) if len(bound) == 1 else None


def in_digits(names: Mapping[str, Any], node: nodes.NodeNG) -> nodes.NodeNG:
    """What a text gives the digits of, `str(n)` and `f"{n}"`, also where a local of `names` is bound to it once; any
    other node itself.
    """
    text = once(names, node.name) if isinstance(node, nodes.Name) else node
    if isinstance(text, nodes.Call) and getattr(text.func, "name", "") == "str" and len(text.args) == 1:
        given: nodes.NodeNG = text.args[0]
        return given
    if isinstance(text, nodes.JoinedStr):
        parts = [part.value for part in text.values if isinstance(part, nodes.FormattedValue)]
        return parts[0] if len(parts) == 1 else node
    return node


def binder(target: nodes.NodeNG) -> Any:
    """What binds a target, through tuples and stars: an assignment, a loop, a `with`, ..."""
    up = target.parent
    while isinstance(up, (nodes.Tuple, nodes.List, nodes.Starred)):
        up = up.parent
    return up


def field_default(value: nodes.NodeNG) -> nodes.NodeNG:
    """What a record's field holds by default: the body of a lambda given to `default_factory`, or the `default`."""
    if isinstance(value, nodes.Call):
        for keyword in value.keywords:
            if keyword.arg == "default":
                found: nodes.NodeNG = keyword.value
                return found
            if keyword.arg == "default_factory" and isinstance(keyword.value, nodes.Lambda):
                body: nodes.NodeNG = keyword.value.body
                return body
    return value
