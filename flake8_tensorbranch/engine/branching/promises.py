"""Promises about sizes and numbers (`torch._check`) that decide a later test for a tracer."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.knowledge.tracing import PROMISES
from flake8_tensorbranch.syntax.names import FunctionInfo


def promised(function: FunctionInfo | None, test: nodes.NodeNG) -> bool:
    """True when the function promises something, before a test, about a name that the test reads.

    Facts J, and an export of `torch._check(n > 0)` before `if n > 0`: the tracer then knows the outcome.
    """
    if function is None:
        return False
    names = {n.name for n in test.nodes_of_class(nodes.Name)}
    for call in function.calls:
        func = call.func
        if (
            not isinstance(func, nodes.Attribute)
            or func.attrname not in PROMISES
            or (call.lineno or 0) > (test.lineno or 0)
        ):
            continue
        if any(n.name in names for argument in call.args for n in argument.nodes_of_class(nodes.Name)):
            return True
    return False
