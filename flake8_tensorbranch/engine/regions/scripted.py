"""What TorchScript makes of a function's branches: which run as Python in eager mode, which only in compiled code."""

from __future__ import annotations

import enum
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.syntax.names import FunctionInfo, last_name

_SCRIPTS: Final = "jit.script"


class Scripting(enum.Enum):
    """How a function is scripted. `torch.compile` traces the Python body of either kind and breaks at its branches;
    measured on torch 2.13 (tests/oracle/test_forms_scripted.py).
    """

    NO = "no"
    TRACES = "traces"  # as `script_if_tracing` does: the branch is Python in eager mode, and kept inside a trace
    ALWAYS = "always"  # as `script` does: no Python branch in eager mode


def scripting(analysis: Analysis, scope: FunctionInfo | None) -> Scripting:
    """How the decorators of a function script it: surely, not in one of the ways its project may run."""
    found = None if scope is None else getattr(scope.node, "decorators", None)
    if scope is None or found is None:
        return Scripting.NO
    for decorator in found.nodes:
        called = decorator.func if isinstance(decorator, nodes.Call) else decorator
        told = _decorated(analysis, scope, called)
        if told is not Scripting.NO:
            return told
    return Scripting.NO


def _decorated(analysis: Analysis, scope: FunctionInfo, decorator: nodes.NodeNG) -> Scripting:
    target = analysis.resolver.expression(scope.module, decorator, scope.parent)
    if isinstance(target, str):
        if target.endswith("script_if_tracing"):
            return Scripting.TRACES
        return Scripting.ALWAYS if target.endswith(_SCRIPTS) else Scripting.NO
    if target is None:  # nothing binds it here: it comes from a star import
        return Scripting.ALWAYS if last_name(decorator) == "script" else Scripting.NO
    if not isinstance(target, FunctionInfo):
        return Scripting.NO  # a setting of the project
    first = target.params[0].name if target.params else ""
    calls = [c for f in (target, *target.nested) for c in f.calls]
    if not any(last_name(c.func) == "script" for c in calls):
        return Scripting.NO
    if any(isinstance(c.func, nodes.Name) and c.func.name == first for c in calls):
        return Scripting.TRACES  # it runs the function itself, or scripts it
    given = (r.value for r in target.returns_nodes)
    always = all(isinstance(g, nodes.Call) and last_name(g.func) == "script" for g in given)
    return Scripting.ALWAYS if always else Scripting.NO
