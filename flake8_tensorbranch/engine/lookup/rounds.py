"""Which places in a loop run in one of its rounds, or in some of them, judged by form."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.syntax.kinds import SCOPE_NODES

_BLOCKS: Final = ("body", "orelse", "handlers", "finalbody")
_LOOPS: Final = (nodes.For, nodes.While)
_LEAVES: Final = (nodes.Return, nodes.Raise)
_ASKS: Final = (nodes.If, nodes.IfExp, nodes.While)


def once(place: Any, loop: Any) -> bool:
    """True where a loop around a place may run it in one round alone: a test asks which round it is, the loop is left
    afterwards, or has one round.
    """
    if _is_single(loop):
        return True
    names = _telling(loop)
    left = False
    child, up = place, place.parent
    while up is not None and child is not loop and not isinstance(up, SCOPE_NODES):
        block = next((b for b in (getattr(up, n, None) for n in _BLOCKS) if isinstance(b, list) and child in b), [])
        index = block.index(child) if block else 0
        if any(isinstance(s, _LEAVES) for s in block[index:]) or any(_passes(s, names) for s in block[:index]):
            return True
        left = left or any(isinstance(s, nodes.Break) for s in block[index:])
        if up is not loop and isinstance(up, _LOOPS):
            left = False  # a break in it leaves this one
        if up is not loop and any(loops.mentions(test, names) for test in _tests(up, child)):
            return True
        child, up = up, up.parent
    return left


def _is_single(loop: Any) -> bool:
    """True for `range(1)`, and a comprehension whose test asks for the round."""
    if isinstance(loop, nodes.Comprehension) and any(loops.mentions(test, loops.targets(loop)) for test in loop.ifs):
        return True
    over: Any = getattr(loop, "iter", None)
    given = over.args if isinstance(over, nodes.Call) and isinstance(over.func, nodes.Name) else []
    counted = len(given) == 1 and isinstance(over.func, nodes.Name) and over.func.name == "range"
    return counted and isinstance(given[0], nodes.Const) and given[0].value == 1


def _telling(loop: Any) -> set[str]:
    """The names that tell one round from another: what the loop binds, what is bound from these, counters."""
    names = loops.targets(loop)
    for node in (n for s in getattr(loop, "body", ()) for n in (s, *loops.walk(s))):
        if isinstance(node, nodes.AugAssign) and isinstance(node.target, nodes.AssignName):
            names |= {node.target.name} if isinstance(node.value, nodes.Const) else set()
        elif isinstance(node, nodes.Assign) and loops.mentions(node.value, names):
            calls = next(node.value.nodes_of_class(nodes.Call), None) is not None
            names |= {t.name for t in node.targets if isinstance(t, nodes.AssignName) and not calls}
    return names


def _passes(statement: Any, names: set[str]) -> bool:
    """True for a test of these names that goes on with another round, or leaves."""
    if not isinstance(statement, nodes.If) or not loops.mentions(statement.test, names):
        return False
    return any(isinstance(s, (nodes.Continue, nodes.Break, *_LEAVES)) for s in (*statement.body, *statement.orelse))


def _tests(up: Any, child: Any) -> list[Any]:
    """The expressions on which it hangs whether a part of a node runs."""
    if isinstance(up, _ASKS):
        return [] if child is up.test else [up.test]
    if isinstance(up, nodes.BoolOp):
        return list(up.values[: up.values.index(child)])
    if isinstance(up, nodes.MatchCase) and child in up.body:
        match: Any = up.parent
        return [match.subject, *([up.guard] if up.guard is not None else [])]
    return []
