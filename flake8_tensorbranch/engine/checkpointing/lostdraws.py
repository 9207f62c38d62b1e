"""Draws of a checkpointed region that go nowhere: into no result, no branch, no state that the region reads."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.knowledge.frameworks import TELLS
from flake8_tensorbranch.syntax.kinds import FUNCTIONS, NESTED
from flake8_tensorbranch.syntax.names import last_name

_MOST: Final = 40


def is_lost(activation: Activation, node: Any) -> bool:
    """True where all that a statement makes of a draw is kept under names that nothing but a message reads."""
    function = activation.function
    statement = node.statement()
    if function.is_lambda or not isinstance(statement, nodes.Assign):
        return False
    names = _targets(statement)
    if names is None:
        return False
    work, seen = sorted(names), set(names)
    while work:
        name = work.pop()
        for read in function.node.nodes_of_class(nodes.Name):
            if read.name != name:
                continue
            given = _given(function.node, read)
            if given is None or len(seen) > _MOST:
                return False
            work.extend(sorted(given - seen))
            seen |= given
    return not any(n.name in seen for n in _added_to(function.node))


def _given(top: Any, read: Any) -> set[str] | None:
    """The names that a statement which reads a name gives a value to; None for one that does anything else with it."""
    if read.scope() is not top:
        return None
    statement = read.statement()
    if isinstance(statement, nodes.Assign):
        return _targets(statement)
    call = statement.value if isinstance(statement, nodes.Expr) else None
    told = isinstance(call, nodes.Call) and last_name(call.func) in TELLS
    return set() if told else None


def _targets(statement: nodes.Assign) -> set[str] | None:
    """The plain names that an assignment binds; None where it binds anything else."""
    found: set[str] = set()
    for target in statement.targets:
        for each in target.elts if isinstance(target, (nodes.Tuple, nodes.List)) else [target]:
            if not isinstance(each, nodes.AssignName):
                return None
            found.add(each.name)
    scope: Any = statement.scope()
    outer = scope.nodes_of_class((nodes.Global, nodes.Nonlocal), NESTED) if isinstance(scope, FUNCTIONS) else ()
    return None if any(found & set(o.names) for o in outer) else found


def _added_to(top: Any) -> list[Any]:
    """The names that something is added to: what they hold may be an object that others read."""
    return [s.target for s in top.nodes_of_class(nodes.AugAssign, NESTED) if isinstance(s.target, nodes.AssignName)]
