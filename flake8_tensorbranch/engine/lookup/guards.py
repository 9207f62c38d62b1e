"""Guards: which tests stand around a statement, and which two places never run in one run of a function."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.syntax.printing import source_of

_SCOPES: Final = (nodes.FunctionDef, nodes.Lambda, nodes.ClassDef, nodes.Module)


def exclusive(a: Any, b: Any) -> bool:
    """True when a test around each of two places of one function lets only one of them run: the sides of one `if`, or
    of two that ask the same attribute. In a loop, another round may ask something else anew.
    """
    first, second = guards(a), guards(b)
    return any(second.get(test, outcome) is not outcome for test, outcome in first.items())


def guards(node: Any) -> dict[str, bool]:
    """The tests that must have come out true or false where a place of a function runs, by their text."""
    found: dict[str, bool] = {}
    asked: list[tuple[Any, bool]] = []
    loops = False
    child, up = node, node.parent
    while up is not None and not isinstance(child, _SCOPES):
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
