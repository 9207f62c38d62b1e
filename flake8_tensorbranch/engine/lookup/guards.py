"""Guards: which tests stand around a statement, what runs for an error alone, which two places never run together."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

from astroid import nodes

from flake8_tensorbranch.syntax.kinds import NESTED, SCOPE_NODES
from flake8_tensorbranch.syntax.printing import source_of

_EXITS: Final = (nodes.Return, nodes.Break, nodes.Continue)
_MOST: Final = 16  # tests around a place that are looked at, the innermost ones
_known: Final[WeakKeyDictionary[Any, dict[str, bool]]] = WeakKeyDictionary()  # as long as the place's tree lives


def exclusive(a: Any, b: Any) -> bool:
    """True when a test around each of two places of one function lets only one of them run: the sides of one `if`, or
    of two that ask the same attribute. In a loop, another round may ask something else anew.
    """
    first = guards(a)
    second = guards(b) if first else first
    return any(second.get(test, outcome) is not outcome for test, outcome in first.items())


def guards(node: Any) -> dict[str, bool]:
    """The tests that must have come out true or false where a place of a function runs, by their text."""
    found = _known.get(node)
    if found is None:
        found = _known[node] = _guards(node)
    return found


def _guards(node: Any) -> dict[str, bool]:
    found: dict[str, bool] = {}
    asked: list[tuple[Any, bool]] = []
    loops = False
    child, up = node, node.parent
    while up is not None and not isinstance(child, SCOPE_NODES) and len(asked) < _MOST:
        if isinstance(up, (nodes.If, nodes.IfExp)) and child is not up.test:
            first = up.body if isinstance(up.body, list) else [up.body]
            asked.append((up.test, child in first))
        loops = loops or isinstance(up, (nodes.For, nodes.While))
        child, up = up, up.parent
    while asked:
        test, outcome = asked.pop()
        if isinstance(test, nodes.UnaryOp) and test.op == "not":
            asked.append((test.operand, not outcome))
        elif isinstance(test, nodes.BoolOp) and (test.op == "and") is outcome:
            asked.extend((value, outcome) for value in test.values)
        elif not loops or isinstance(test, nodes.Attribute):
            found[source_of(test)] = outcome
    return found


def in_other_arms(first: nodes.NodeNG, second: nodes.NodeNG) -> bool:
    """True when two statements stand in different arms of one branch."""
    child, up = first, first.parent
    while up is not None and not isinstance(up, SCOPE_NODES):
        if isinstance(up, nodes.If) and up.parent_of(second):
            in_body = any(s is second or s.parent_of(second) for s in up.body)
            if in_body != (child in up.body):
                return True
        child, up = up, up.parent
    return False


def for_error(node: nodes.NodeNG) -> bool:
    """True for what runs on the way to an error alone, such as a call that puts its words together."""
    child, up = node, node.parent
    while up is not None and not isinstance(up, NESTED):
        if isinstance(up, nodes.Raise):
            return True
        if isinstance(up, (nodes.If, nodes.ExceptHandler)):
            block = next((b for b in (up.body, getattr(up, "orelse", [])) if child in b), None)
            if block and isinstance(block[-1], nodes.Raise):
                return not any(next(s.nodes_of_class(_EXITS), None) for s in block)
        child, up = up, up.parent
    return False
