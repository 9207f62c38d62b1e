"""Tests of a symbolic trace on what a proxy does not tell: ranks, types, devices, whether a gradient is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching import forms
from flake8_tensorbranch.engine.branching.answers import tracer_of
from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.compiling.frozen_reads import KIND
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import TENSOR, UNKNOWN, UNKNOWN_KIND
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.regions.region import Membership, Regions
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.knowledge.tracing import (
    PARTS_OF_DEVICE,
    PROXIES,
    PROXY_NUMBERS,
    PROXY_PARTICULARS,
    PROXY_PREDICATES,
    PROXY_TRUTHS,
)
from flake8_tensorbranch.syntax.binding import assigned, once
from flake8_tensorbranch.syntax.names import FunctionInfo

_DEPTH: Final = 6


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """A site for each such test in a function that `fx.symbolic_trace` is given (observed, torch 2.13).

    Of the functions that it calls, what they are handed may be no proxy: a buffer is none. Nor is what `concrete_args`
    fills in.
    """
    members = {f: m for f, m in regions.members(KIND).items() if _is_proxied(m)}
    if not members:
        return
    tracers = Tracers(program.analysis)
    for scope, member in members.items():
        facts = program.facts[scope]
        for node in scope.tests:
            if not isinstance(node, (nodes.If, nodes.IfExp, nodes.While, nodes.Assert)):
                continue
            for part in forms.leaves(node.test):
                tensor = _tensor(facts, part)
                if tensor is None or not _is_proxy(scope, tensor, _DEPTH):
                    continue
                if not tracers.guard(program.index, scope, node, tracer=tracer_of({KIND: member})):
                    yield _site(program, scope, member, part)
                break


def _is_proxied(member: Membership) -> bool:
    """True for the function that a symbolic trace is given, where it alone is given."""
    row, node = member.entry.row, member.entry.node
    given = len(node.args) + len(node.keywords) if isinstance(node, nodes.Call) else 0
    return row is not None and row.qualname in PROXIES and not member.way and given == 1


def _is_proxy(scope: FunctionInfo, node: Any, depth: int) -> bool:
    """True for what the traced function is handed, and what operators and methods make of it."""
    if depth <= 0:
        return False
    if isinstance(node, nodes.Name):
        if any(p.name == node.name for p in scope.params[1 if scope.takes_self else 0 :]):
            return not any(assigned(bound) for bound in scope.local_names.get(node.name, ()))
        made = once(scope.local_names, node.name)
        return made is not None and _is_proxy(scope, made, depth - 1)
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute):
        return _is_proxy(scope, node.func.expr, depth - 1)
    if isinstance(node, nodes.BinOp):
        return any(_is_proxy(scope, side, depth - 1) for side in (node.left, node.right))
    return isinstance(node, nodes.Subscript) and _is_proxy(scope, node.value, depth - 1)


def _site(program: Program, scope: FunctionInfo, member: Membership, part: nodes.NodeNG) -> TracedSite:
    kinds = {KIND: member}
    way = trace.way(program, scope, part, kinds)
    return TracedSite(SinkKind.SCALAR_READ, part, scope, trace.spelled(part), kinds, {"asked": True}, way)


def _tensor(facts: Facts, part: Any) -> nodes.NodeNG | None:
    """The tensor whose truth-valued or compared particulars a test asks for; None where it asks for others."""
    found: Any = None
    if isinstance(part, nodes.Attribute) and part.attrname in PROXY_TRUTHS:
        found = part.expr
    elif isinstance(part, nodes.Call):
        found = _questioned(facts, part)
    elif isinstance(part, nodes.Compare) and len(part.ops) == 1:
        op, other = part.ops[0]
        if op in ("==", "!=", "<", "<=", ">", ">="):
            found = _compared(facts, part.left) or _compared(facts, other)
        elif op in ("in", "not in") and isinstance(other, (nodes.Tuple, nodes.List)) and other.elts:
            found = _compared(facts, part.left)
    value = facts.values.get(found, UNKNOWN)
    return found if value.kinds & TENSOR and not value.kinds & UNKNOWN_KIND else None


def _questioned(facts: Facts, call: nodes.Call) -> Any:
    """The tensor of a call that answers with a truth value."""
    if not isinstance(call.func, nodes.Attribute) or call.func.attrname not in PROXY_PREDICATES:
        return None
    if any(name.startswith("torch.") for name in facts.externals.get(call, ())) and len(call.args) == 1:
        return call.args[0] if isinstance(call.func.expr, nodes.Name) and call.func.expr.name == "torch" else None
    return call.func.expr if not call.args else None


def _compared(facts: Facts, node: Any) -> Any:
    """The tensor whose rank, type, device, layout or strides an expression is."""
    if isinstance(node, nodes.Attribute):
        if node.attrname in PARTS_OF_DEVICE and isinstance(node.expr, nodes.Attribute):
            return node.expr.expr if node.expr.attrname == "device" else None
        return node.expr if node.attrname in PROXY_PARTICULARS else None
    if isinstance(node, nodes.Call):
        if isinstance(node.func, nodes.Attribute) and node.func.attrname in PROXY_NUMBERS:
            return node.func.expr
        given = node.args[0] if len(node.args) == 1 else None
        if isinstance(node.func, nodes.Name) and node.func.name == "len" and isinstance(given, nodes.Attribute):
            return given.expr if given.attrname == "shape" else None
    return None
