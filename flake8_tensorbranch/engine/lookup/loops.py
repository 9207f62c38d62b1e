"""What changes from round to round of a Python loop, judged by form: integers, and containers that grow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.knowledge.containers import RESIZES
from flake8_tensorbranch.syntax.kinds import SCOPE_NODES
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

_NESTED: Final = frozenset({nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.Lambda, nodes.ClassDef})
_LEAVES: Final = frozenset({nodes.Name, nodes.AssignName, nodes.Const})
_COMPREHENSIONS: Final = (nodes.ListComp, nodes.SetComp, nodes.DictComp, nodes.GeneratorExp)


def walk(top: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    """The nodes below a function or statement in source order, nested functions and classes left out."""
    stack = list(top.get_children())[::-1]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind not in _NESTED:
            yield node
            if kind not in _LEAVES:
                stack.extend(list(node.get_children())[::-1])


def inside(function: FunctionInfo) -> tuple[Any, ...]:
    """A function's node and all that `walk` gives below it; once per function, which many activations ask for."""
    memo, key = function.module.memo, ("inside", function)
    if key not in memo:
        memo[key] = (function.node, *walk(function.node))
    return cast("tuple[Any, ...]", memo[key])


def around(node: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    """The loops and comprehensions of the same scope that a node runs in, innermost first."""
    child, up = node, node.parent
    while up is not None and not isinstance(up, SCOPE_NODES):
        if isinstance(up, (nodes.For, nodes.While)) and child in up.body:
            yield up
        elif isinstance(up, _COMPREHENSIONS):
            if not isinstance(child, nodes.Comprehension):
                yield from reversed(up.generators)
            else:
                yield from reversed(up.generators[: up.generators.index(child)])
        child, up = up, up.parent


def targets(loop: nodes.NodeNG) -> set[str]:
    """The names a loop binds anew in every round."""
    target = getattr(loop, "target", None)
    return set() if target is None else {n.name for n in target.nodes_of_class(nodes.AssignName)}


def mentions(node: nodes.NodeNG | None, names: set[str]) -> bool:
    """True when an expression reads one of the names."""
    return node is not None and bool(names) and any(n.name in names for n in node.nodes_of_class(nodes.Name))


def counters(loop: nodes.NodeNG) -> set[str]:
    """The names a loop binds to another int or string in every round: over `range`, `enumerate`, constants."""
    if not isinstance(loop, (nodes.For, nodes.Comprehension)):
        return set()
    return _counting(loop.target, loop.iter)


def _counting(target: Any, source: Any) -> set[str]:
    parts = list(target.elts) if isinstance(target, (nodes.Tuple, nodes.List)) else []
    if isinstance(source, nodes.Call) and isinstance(source.func, nodes.Name) and source.args:
        name = source.func.name
        if name == "range" and isinstance(target, nodes.AssignName):
            return {target.name}
        if name in ("reversed", "sorted", "tqdm"):
            return _counting(target, source.args[0])
        if name == "enumerate" and len(parts) == 2 and isinstance(parts[0], nodes.AssignName):
            return {parts[0].name} | _counting(parts[1], source.args[0])
        if name == "zip":
            pairs = zip(parts, source.args, strict=False)
            return set().union(*(_counting(t, s) for t, s in pairs))
    if isinstance(source, (nodes.Tuple, nodes.List)) and isinstance(target, nodes.AssignName):
        values = {e.value for e in source.elts if isinstance(e, nodes.Const) and type(e.value) in (int, str)}
        if len(values) > 1 and len(source.elts) == len([e for e in source.elts if isinstance(e, nodes.Const)]):
            return {target.name}
    return set()


def counted(node: nodes.NodeNG, names: set[str]) -> bool:
    """True when an expression is integer (or string) arithmetic on one of the names."""
    if isinstance(node, (nodes.Name, nodes.Attribute)):
        return dotted(node) in names
    if isinstance(node, nodes.BinOp):
        if node.op == "/" or any(isinstance(n.value, float) for n in node.nodes_of_class(nodes.Const)):
            return False
        return counted(node.left, names) or counted(node.right, names)
    if isinstance(node, nodes.UnaryOp):
        return node.op != "not" and counted(node.operand, names)
    if isinstance(node, nodes.JoinedStr):
        return mentions(node, names)
    if (
        isinstance(node, nodes.Call)
        and isinstance(node.func, nodes.Name)
        and node.func.name in ("int", "str", "min", "max")
    ):
        return any(counted(a, names) for a in node.args)
    return False


def aliases(function: FunctionInfo, names: set[str]) -> set[str]:
    """The local names that are assigned once, from one of some ints."""
    bound: dict[str, list[nodes.NodeNG | None]] = {}
    for node in walk(function.node):
        if isinstance(node, nodes.AssignName):
            value = node.parent.value if isinstance(node.parent, (nodes.Assign, nodes.AnnAssign)) else None
            bound.setdefault(node.name, []).append(value)
    single = {name: values[0] for name, values in bound.items() if len(values) == 1}
    return {name for name, value in single.items() if value is not None and counted(value, names)}


def grows(name: str, loop: nodes.NodeNG) -> bool:
    """True when a loop makes the container `name` (a dotted path) longer or shorter, and does not start it anew."""
    found = False
    for statement in getattr(loop, "body", ()):
        for node in (statement, *walk(statement)):
            if (
                isinstance(node, nodes.Call)
                and isinstance(node.func, nodes.Attribute)
                and node.func.attrname in RESIZES
            ):
                found = found or dotted(node.func.expr) == name
            elif isinstance(node, nodes.AugAssign) and node.op == "+=" and dotted(node.target) == name:
                found = found or isinstance(node.value, (nodes.List, nodes.Tuple, nodes.ListComp))
            elif isinstance(node, nodes.Assign) and any(dotted(t) == name for t in node.targets):
                if not lengthens(node.value, name):
                    return False
                found = True
    return found


def lengthens(value: nodes.NodeNG, name: str) -> bool:
    """True for `name + [x]`, `[*name, x]`, `name[1:]`: the container itself with another length."""
    if isinstance(value, nodes.BinOp) and value.op == "+":
        return any(dotted(side) == name or lengthens(side, name) for side in (value.left, value.right)) and any(
            isinstance(side, (nodes.List, nodes.Tuple, nodes.ListComp)) or lengthens(side, name)
            for side in (value.left, value.right)
        )
    if isinstance(value, (nodes.List, nodes.Tuple)):
        starred = [e for e in value.elts if isinstance(e, nodes.Starred)]
        return len(starred) == 1 and (
            (dotted(starred[0].value) == name and len(value.elts) > 1) or lengthens(starred[0].value, name)
        )
    if isinstance(value, nodes.Subscript) and isinstance(value.slice, nodes.Slice):
        return dotted(value.value) == name
    return False
