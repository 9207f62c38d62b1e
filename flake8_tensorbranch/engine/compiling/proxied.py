"""What a symbolic trace asks of proxies and they do not tell: ranks and types by tests, the numbers of sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching import forms
from flake8_tensorbranch.engine.branching.answers import tracer_of
from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.compiling.frozen_reads import KIND
from flake8_tensorbranch.engine.compiling.reads import tested, under
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import SHAPE, TENSOR, UNKNOWN, UNKNOWN_KIND
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.regions.leaves import is_wrapped
from flake8_tensorbranch.engine.regions.region import Membership, Regions
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.knowledge.tracing import (
    PARTS_OF_DEVICE,
    PROXIES,
    PROXY_COUNTS,
    PROXY_NUMBERS,
    PROXY_PARTICULARS,
    PROXY_PREDICATES,
    PROXY_REFUSES,
    PROXY_SIZES,
    PROXY_TRUTHS,
)
from flake8_tensorbranch.syntax.binding import assigned, binder, once
from flake8_tensorbranch.syntax.names import FunctionInfo

_DEPTH: Final = 6
_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """A site for each such expression in a function that `fx.symbolic_trace` is given (observed, torch 2.13).

    Of the functions that it calls, what they are handed may be no proxy: a buffer is none. Nor is what `concrete_args`
    fills in.
    """
    members = {f: m for f, m in regions.members(KIND).items() if _is_proxied(m)}
    if not members:
        return
    tracers = Tracers(program.analysis)
    for scope, member in members.items():
        facts = program.facts[scope]
        for made in _made(program, scope, facts):
            if not tracers.guard(program.index, scope, made, tracer=tracer_of({KIND: member})):
                yield _site(program, scope, member, made, {"sized": True})
        for node in scope.tests:
            if not isinstance(node, (nodes.If, nodes.IfExp, nodes.While, nodes.Assert)):
                continue
            for part in forms.leaves(node.test):
                tensor = _tensor(facts, part)
                if tensor is None or not _is_proxy(scope, facts, tensor, _DEPTH):
                    continue
                if not tracers.guard(program.index, scope, node, tracer=tracer_of({KIND: member})):
                    yield _site(program, scope, member, part, {"asked": True})
                break


def _is_proxied(member: Membership) -> bool:
    """True for the function that a symbolic trace is given, where it alone is given."""
    row, node = member.entry.row, member.entry.node
    given = len(node.args) + len(node.keywords) if isinstance(node, nodes.Call) else 0
    return row is not None and row.qualname in PROXIES and not member.way and given == 1


def _is_proxy(scope: FunctionInfo, facts: Facts, node: Any, depth: int, known: tuple[str, ...] = ()) -> bool:
    """True for what the traced function is handed, and what operators, methods and functions of torch make of it;
    `known` are names that are proxies.
    """
    if depth <= 0:
        return False
    if isinstance(node, nodes.Name):
        if node.name in known:
            return True
        if any(p.name == node.name for p in scope.params[1 if scope.takes_self else 0 :]):
            others = filter(None, map(assigned, scope.local_names.get(node.name, ())))
            return all(_is_proxy(scope, facts, other, depth - 1, (*known, node.name)) for other in others)
        made = _bound(scope, node.name)
        return made is not None and _is_proxy(scope, facts, made, depth - 1, known)
    if isinstance(node, nodes.Call):
        if any(name.startswith("torch.") for name in facts.externals.get(node, ())):
            if any(_is_proxy(scope, facts, arg, depth - 1, known) for arg in node.args):
                return True
        return isinstance(node.func, nodes.Attribute) and _is_proxy(scope, facts, node.func.expr, depth - 1, known)
    if isinstance(node, nodes.BinOp):
        return any(_is_proxy(scope, facts, side, depth - 1, known) for side in (node.left, node.right))
    return isinstance(node, nodes.Subscript) and _is_proxy(scope, facts, node.value, depth - 1, known)


def _bound(scope: FunctionInfo, name: str) -> Any:
    """What a local that is bound once is made of, by an assignment or by unpacking, which a proxy allows."""
    bound = scope.local_names.get(name, ())
    return once(scope.local_names, name) or (getattr(binder(bound[0]), "value", None) if len(bound) == 1 else None)


def _site(
    program: Program, scope: FunctionInfo, member: Membership, part: nodes.NodeNG, facts: dict[str, object]
) -> TracedSite:
    kinds = {KIND: member}
    way = trace.way(program, scope, part, kinds)
    return TracedSite(SinkKind.SCALAR_READ, part, scope, trace.spelled(part), kinds, facts, way)


def _made(program: Program, scope: FunctionInfo, facts: Facts) -> Iterator[nodes.NodeNG]:
    """Each expression that makes Python numbers of a proxy's sizes, or takes them one by one."""
    asked = {top for top in tested(scope, facts) if not _iterated(top) or facts.values.get(top, UNKNOWN).deps & SHAPE}
    for node in facts.values:
        if _iterated(node) and _is_size(scope, facts, node, _DEPTH, isinstance(node.parent, nodes.Starred)):
            yield node
        elif isinstance(node, nodes.Compare):
            op, other = node.ops[0]
            if op in ("in", "not in") and isinstance(other, (nodes.Tuple, nodes.List)) and not under(node, asked):
                if _is_size(scope, facts, node.left, _DEPTH):
                    yield node
        elif type(node) is nodes.Call and (names := PROXY_REFUSES.intersection(facts.externals.get(node, ()))):
            lengths = "builtins.len" in names and not is_wrapped(program.analysis, program.index, "len")
            if (lengths or names != {"builtins.len"}) and not under(node, asked):
                if any(_is_size(scope, facts, arg, _DEPTH, lengths) for arg in node.args):
                    yield node


def _iterated(node: nodes.NodeNG) -> bool:
    """True for what a star, a loop or a comprehension goes through; without a star an unpacking does not."""
    up: Any = node.parent
    if isinstance(up, nodes.Assign):
        return any(isinstance(t, nodes.Tuple) and any(isinstance(e, nodes.Starred) for e in t.elts) for t in up.targets)
    return isinstance(up, nodes.Starred) or (isinstance(up, (nodes.For, nodes.Comprehension)) and node is up.iter)


def _is_size(scope: FunctionInfo, facts: Facts, node: Any, depth: int, whole: bool = False) -> bool:
    """True for the shape, size, rank or stride of a proxy, and for what operators make of them; with `whole` for the
    proxy of a tensor as well.
    """
    if depth <= 0:
        return False
    made: Any = ()
    if isinstance(node, nodes.Name):
        made = (_bound(scope, node.name),)
    elif isinstance(node, nodes.Subscript):
        made = (node.value,)
    elif isinstance(node, nodes.BinOp):
        made = (node.left, node.right)
    elif isinstance(node, nodes.UnaryOp) and node.op != "not":
        made = (node.operand,)
    elif isinstance(node, nodes.Compare) and len(node.ops) == 1 and node.ops[0][0] in _COMPARISONS:
        made = (node.left, node.ops[0][1])
    elif isinstance(node, nodes.IfExp):
        made = (node.body, node.orelse)
    elif isinstance(node, nodes.Call):
        if any(name.startswith("math.") for name in facts.externals.get(node, ())):
            made = node.args
        elif isinstance(node.func, nodes.Attribute):
            made = (node.func.expr,)
    if any(_is_size(scope, facts, part, depth - 1) for part in made):
        return True
    tensor: Any = node if whole else None
    if isinstance(node, nodes.Attribute) and node.attrname in PROXY_SIZES:
        tensor = node.expr
    elif isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname in PROXY_COUNTS:
        tensor = node.func.expr
    value = facts.values.get(tensor, UNKNOWN)
    return value.kinds & TENSOR != 0 and not value.kinds & UNKNOWN_KIND and _is_proxy(scope, facts, tensor, _DEPTH)


def _tensor(facts: Facts, part: Any) -> nodes.NodeNG | None:
    """The tensor whose truth-valued or compared particulars a test asks for; None where it asks for others."""
    found: Any = None
    if isinstance(part, nodes.Attribute) and part.attrname in PROXY_TRUTHS:
        found = part.expr
    elif isinstance(part, nodes.Call):
        found = _questioned(facts, part)
    elif isinstance(part, nodes.Compare) and len(part.ops) == 1:
        op, other = part.ops[0]
        if op in _COMPARISONS:
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
