"""What a test that asks for a tracer says under one of them, by what torch's own predicates answer there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.regions.region import Membership
from flake8_tensorbranch.knowledge.tracing import ANSWERS, PROXIES, REFUSING
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

_DEPTH: Final = 3
_ORDER: Final = ("exported", "traced", "compiled")


def tracer_of(regions: Mapping[str, Membership]) -> str:
    """Which tracer speaks of code in these regions, as `ANSWERS` names it; empty where none or another one does."""
    if "checkpointed" in regions or "vmapped" in regions:
        return ""
    kind = next((k for k in _ORDER if k in regions), "")
    row = regions[kind].entry.row if kind else None
    name = "" if row is None else row.qualname
    if name.startswith("torch.onnx."):
        return "onnx"
    if kind == "traced":
        return "proxied" if name in PROXIES or name in REFUSING else "recorded"
    return "strict" if kind == "exported" and regions[kind].entry.option("strict") not in (None, False) else kind


def said(
    analysis: Analysis, module: ModuleIndex, scope: FunctionInfo | None, test: Any, tracer: str, depth: int = _DEPTH
) -> bool | None:
    """The outcome of a test under a tracer, as far as torch's predicates decide it; None where they do not."""
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        inner = said(analysis, module, scope, test.operand, tracer, depth)
        return None if inner is None else not inner
    if isinstance(test, nodes.BoolOp):
        parts = [said(analysis, module, scope, value, tracer, depth) for value in test.values]
        decisive = test.op == "or"
        return decisive if decisive in parts else None if None in parts else not decisive
    if depth <= 0:
        return None
    if isinstance(test, nodes.Call):
        target = analysis.resolver.expression(module, test.func, scope)
        if isinstance(target, str):
            return tracer in ANSWERS[target] if target in ANSWERS else None
        if isinstance(target, FunctionInfo) and len(target.returns_nodes) == 1:
            return said(analysis, target.module, target, target.returns_nodes[0].value, tracer, depth - 1)
    elif isinstance(test, nodes.Name) and scope is not None:
        made = once(scope.local_names, test.name)
        if made is not None:
            return said(analysis, module, scope, made, tracer, depth - 1)
    return None


def lets_through(
    analysis: Analysis,
    module: ModuleIndex,
    scope: FunctionInfo | None,
    test: nodes.NodeNG,
    arm: bool | None,
    asking: list[Any],
    tracer: str,
) -> bool:
    """True when a test that asks for tracers keeps nothing out under this one: all it asks is answered with no, and it
    does not come out against the arm in which a place stands (None: the place is the test itself).
    """
    if not asking or any(said(analysis, module, scope, call, tracer) is not False for call in asking):
        return False
    outcome = said(analysis, module, scope, test, tracer)
    return outcome is None or outcome is arm
