"""What the rounds of a loop around a checkpoint call change of what the checkpointed function reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import saving
from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.checkpointing.locate import site
from flake8_tensorbranch.engine.checkpointing.stores import stores
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.knowledge.gradients import CONSTANTS
from flake8_tensorbranch.syntax.kinds import FUNCTIONS, NESTED
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, last_name
from flake8_tensorbranch.syntax.printing import source_of

_LOOPS: Final = (nodes.For, nodes.While)
_LEAVES: Final = (nodes.Return, nodes.Break, nodes.Raise)
_GROWS: Final = ("append", "extend", "insert")


def sites(insides: Insides, backward: Backward) -> Iterator[RegionSite]:
    """Calls in a loop whose every round sets what the region reads: an attribute of an object, an item."""
    seen: set[nodes.NodeNG] = set()
    turned: dict[nodes.NodeNG, list[tuple[str, Any]]] = {}
    for head in insides.heads:
        scope, call = head.entry.scope, head.entry.node
        if scope is None or not isinstance(call, nodes.Call) or call in seen:
            continue
        loop = loop_around(call)
        if not isinstance(loop, _LOOPS) or leaves(call, loop) or is_single(loop):
            continue
        if loop not in turned:
            turned[loop] = list(_turned(loop))
        path = next((p for p, store in turned[loop] if _reads(head, scope, p, store)), "")
        if path:
            events = [e.node for e in backward.of(Expr(scope.module, scope, call))]
            if not (events and all(n is not None and loop.parent_of(n) for n in events)):  # else in the same round
                seen.add(call)
                yield site(SinkKind.LATE_BINDING, head, call, "attribute", path)


def _turned(loop: Any) -> Iterator[tuple[str, Any]]:
    """What the rounds of a loop set to values of their own, as spelled, with the statement; not what they make anew."""
    bound: list[Any] = list(loop.nodes_of_class(nodes.AssignName, FUNCTIONS))
    turned = {n.name for n in bound}
    for statement in loop.nodes_of_class((nodes.Assign, nodes.AugAssign, nodes.Expr), NESTED):
        value = statement.value
        names = {n.name for n in value.nodes_of_class(nodes.Name)}
        if not (names & turned or isinstance(statement, nodes.AugAssign)):
            continue
        for path in _paths(statement):
            if path.split(".")[0].split("[")[0] not in turned:
                yield path, statement


def _paths(statement: Any) -> Iterator[str]:
    """The attributes and items that a statement sets, as they are spelled where they are read."""
    for stored in stores(statement, NESTED):
        if stored.key is None and dotted(stored.holder):
            yield f"{dotted(stored.holder)}.{stored.name}"
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    for target in targets:
        if isinstance(target, nodes.Subscript) and isinstance(target.slice, nodes.Const):
            yield source_of(target)
    call = statement.value
    if isinstance(statement, nodes.Expr) and isinstance(call, nodes.Call) and isinstance(call.func, nodes.Attribute):
        holder = source_of(call.func.expr)
        if call.func.attrname == "update":
            yield from (f"{holder}[{k.arg!r}]" for k in call.keywords if k.arg)
        elif call.func.attrname in _GROWS:
            yield f"{holder}[-1]"


def _reads(head: Activation, scope: FunctionInfo, path: str, store: nodes.NodeNG) -> bool:
    """True when the region reads what is set: of an object of the same class by its own code, or by its name."""
    root = path.split(".")[0].split("[")[0]
    if scope.takes_self and root == scope.params[0].name and path.count(".") == 1 and "[" not in path:
        return _reads_own(head, scope, path.split(".")[1])
    function = head.function
    if function.parent is not scope or (root in function.local_names and not _is_default(function, root)):
        return False
    found: list[Any] = [
        n for n in function.node.nodes_of_class((nodes.Attribute, nodes.Subscript)) if source_of(n) == path
    ]
    return any(n not in head.facts.values or not saving.is_over(head.origins, head, n) for n in found)


def _is_default(function: FunctionInfo, name: str) -> bool:
    """True for a parameter whose default is the name outside: the same object."""
    return any(p.name == name and isinstance(p.default, nodes.Name) and p.default.name == name for p in function.params)


def _reads_own(head: Activation, scope: FunctionInfo, name: str) -> bool:
    """True when the region reads the attribute of an object of the same class, and does not set it itself."""
    for activation in head.run():
        function = activation.function
        holder = function
        while holder.cls is None and holder.parent is not None:
            holder = holder.parent
        if holder.cls is not scope.cls or not holder.params or function is scope:
            continue
        if any(s.attrname == name for s in function.attribute_stores):
            return False
        for node in function.node.nodes_of_class(nodes.Attribute):
            if node.attrname == name and isinstance(node.expr, nodes.Name):
                if node.expr.name == holder.params[0].name:
                    return True
    return False


def is_single(loop: Any) -> bool:
    """True for a loop that runs once at most, or over the same thing again and again."""
    if isinstance(loop, nodes.ComprehensionScope):
        return len(loop.generators) == 1 and _has_one(loop.generators[0].iter)
    return isinstance(loop, nodes.For) and _has_one(loop.iter)


def _has_one(iterable: Any) -> bool:
    """True for an iterable that gives one value at most: a literal of one element, `range(1)`, `xs[:1]`."""
    if isinstance(iterable, (nodes.List, nodes.Tuple)):
        elements: list[Any] = list(iterable.elts)
        plain = all(isinstance(e, (nodes.Name, nodes.Attribute, nodes.Const)) for e in elements)
        single = len(elements) < 2 and not any(isinstance(e, nodes.Starred) for e in elements)
        return single or (plain and len({source_of(e) for e in elements}) == 1)
    if isinstance(iterable, nodes.Subscript) and isinstance(iterable.slice, nodes.Slice):
        part = iterable.slice
        return part.lower is None and part.step is None and getattr(part.upper, "value", None) == 1
    if not isinstance(iterable, nodes.Call) or iterable.keywords or not iterable.args:
        return False
    name, given = last_name(iterable.func), list(iterable.args)
    if name == "range":
        ends = [a.value for a in given if isinstance(a, nodes.Const) and isinstance(a.value, int)]
        return len(ends) == len(given) and len(range(*ends)) <= 1
    return _has_one(given[0]) if name in ("enumerate", "reversed") else name == "zip" and any(map(_has_one, given))


def keeps(origins: Origins, scope: FunctionInfo, loop: Any, name: str) -> bool:
    """True for a name to which every round gives the same: a constant, or a new tensor of constants."""
    bound: list[Any] = [n for n in loop.nodes_of_class(nodes.AssignName, NESTED) if n.name == name]
    value = bound[0].parent.value if len(bound) == 1 and isinstance(bound[0].parent, nodes.Assign) else None
    if isinstance(value, nodes.Const):
        return True
    if not isinstance(value, nodes.Call):
        return False
    given = [*value.args, *(k.value for k in value.keywords)]
    made = origins.externals(Expr(scope.module, scope, value))
    return bool(made) and made <= CONSTANTS and all(isinstance(a, nodes.Const) for a in given)


def leaves(call: nodes.Call, loop: nodes.NodeNG) -> bool:
    """True when the loop ends with the round of the call."""
    if isinstance(loop, nodes.ComprehensionScope):
        return False
    child: Any = call.statement()
    while child is not loop and child is not None:
        if isinstance(child, _LEAVES):
            return True
        up = child.parent
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(up, block, None)
            later = (
                statements[statements.index(child) :] if isinstance(statements, list) and child in statements else []
            )
            if any(isinstance(s, _LEAVES) for s in later):
                return True
        child = up
    return False
