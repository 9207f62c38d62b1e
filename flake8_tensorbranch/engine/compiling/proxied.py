"""What a symbolic trace asks of proxies and they do not tell: ranks and types by tests, the numbers of sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from astroid import nodes

from flake8_tensorbranch.engine.branching import forms
from flake8_tensorbranch.engine.branching.answers import tracer_of
from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.compiling.frozen_reads import KIND
from flake8_tensorbranch.engine.compiling.reads import tested, under
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import CONTAINER, SHAPE, TENSOR, UNKNOWN
from flake8_tensorbranch.engine.refs import Instance
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
from flake8_tensorbranch.syntax.binding import assigned, binder
from flake8_tensorbranch.syntax.names import FunctionInfo

_DEPTH: Final = 6
_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """A site for each such expression in a function that `fx.symbolic_trace` is given (observed, torch 2.13).

    Of the functions that it calls, what they are handed may be no proxy: a buffer is none. Nor is what `concrete_args`
    fills in.
    """
    members = {f: (m, filled) for f, m in regions.members(KIND).items() if (filled := _filled(m)) is not None}
    if not members:
        return
    tracers = Tracers(program.analysis)
    for scope, (member, filled) in members.items():
        traced = _Traced(scope, program.facts[scope], filled)
        for made in _made(program, traced):
            if not tracers.guard(program.index, scope, made, tracer=tracer_of({KIND: member})):
                yield _site(program, scope, member, made, {"sized": True})
        for node in scope.tests:
            if not isinstance(node, (nodes.If, nodes.IfExp, nodes.While, nodes.Assert)):
                continue
            for part in forms.leaves(node.test):
                tensor = _tensor(traced.facts, part)
                if tensor is None or not _is_proxy(traced, tensor, _DEPTH):
                    continue
                if not tracers.guard(program.index, scope, node, tracer=tracer_of({KIND: member})):
                    yield _site(program, scope, member, part, {"asked": True})
                break


class _Traced(NamedTuple):
    """A function that a symbolic trace is given, and the parameters that `concrete_args` fills in."""

    scope: FunctionInfo
    facts: Facts
    filled: frozenset[str]


def _filled(member: Membership) -> frozenset[str] | None:
    """The parameters that are filled in where a symbolic trace is given the function; None where it is given by
    another way or what is filled in is not written out.
    """
    row, node = member.entry.row, member.entry.node
    if row is None or row.qualname not in PROXIES or member.way or not isinstance(node, nodes.Call):
        return None
    if not (node.args or node.keywords):
        return None
    given = [*node.args[1:], *(k.value for k in node.keywords if k.arg != "root")]
    if not given or (isinstance(given[0], nodes.Const) and given[0].value is None):
        return frozenset()
    if len(given) > 1 or not isinstance(given[0], nodes.Dict):
        return None
    keys = [getattr(key, "value", None) for key, _ in given[0].items]
    return frozenset(map(str, keys)) if all(isinstance(key, str) for key in keys) else None


def _is_proxy(traced: _Traced, node: Any, depth: int, known: tuple[str, ...] = ()) -> bool:
    """True for what the traced function is handed, and what operators, methods, and functions and layers of torch make
    of it; `known` are names that are proxies.
    """
    scope, facts, filled = traced
    if depth <= 0:
        return False
    if isinstance(node, nodes.Name):
        if node.name in known:
            return True
        handed = any(p.name == node.name for p in scope.params[1 if scope.takes_self else 0 :])
        bound = scope.local_names.get(node.name, ())
        if (handed and node.name in filled) or not (handed or bound):
            return False
        made = (
            _bound_to(target) for target in bound if not isinstance(target.parent, (nodes.Arguments, nodes.AugAssign))
        )
        return all(part is not None and _is_proxy(traced, part, depth - 1, (*known, node.name)) for part in made)
    if isinstance(node, nodes.Call):
        value = facts.values.get(node, UNKNOWN)
        if value.kinds & (TENSOR | CONTAINER) and any(
            name.startswith("torch.") and name != "torch.Size" for name in facts.externals.get(node, ())
        ):
            if any(_is_proxy(traced, arg, depth - 1, known) for arg in node.args):
                return True
        if _is_layer(facts, node.func):
            return True
        return isinstance(node.func, nodes.Attribute) and _is_proxy(traced, node.func.expr, depth - 1, known)
    if isinstance(node, nodes.BinOp):
        return any(_is_proxy(traced, side, depth - 1, known) for side in (node.left, node.right))
    if isinstance(node, nodes.Attribute):
        return node.attrname in ("weight", "bias") and _is_layer(facts, node.expr)
    return isinstance(node, nodes.Subscript) and _is_proxy(traced, node.value, depth - 1, known)


def _is_layer(facts: Facts, func: nodes.NodeNG) -> bool:
    """True for layers of torch: a trace records the call of one and the look at its weight, whatever it is given."""
    made = facts.values.get(func, UNKNOWN).each
    classes = [ref.cls for ref in made if isinstance(ref, Instance)]
    return 0 < len(classes) == len(made) and all(isinstance(c, str) and c.startswith("torch.nn.") for c in classes)


def _bound(scope: FunctionInfo, name: str) -> Any:
    """What a local that is bound once is made of, by an assignment or by unpacking, which a proxy allows."""
    bound = scope.local_names.get(name, ())
    return _bound_to(bound[0]) if len(bound) == 1 else None


def _bound_to(target: nodes.NodeNG) -> Any:
    return assigned(target) or getattr(binder(target), "value", None)


def _site(
    program: Program, scope: FunctionInfo, member: Membership, part: nodes.NodeNG, facts: dict[str, object]
) -> TracedSite:
    kinds = {KIND: member}
    way = trace.way(program, scope, part, kinds)
    return TracedSite(SinkKind.SCALAR_READ, part, scope, trace.spelled(part), kinds, facts, way)


def _made(program: Program, traced: _Traced) -> Iterator[nodes.NodeNG]:
    """Each expression that makes Python numbers of a proxy's sizes, or takes them one by one."""
    scope, facts, _ = traced
    asked = {top for top in tested(scope, facts) if not _iterated(top) or facts.values.get(top, UNKNOWN).deps & SHAPE}
    for node in facts.values:
        if _iterated(node) and _is_size(traced, node, _DEPTH, isinstance(node.parent, nodes.Starred)):
            yield node
        elif isinstance(node, nodes.Compare):
            op, other = node.ops[0]
            if op in ("in", "not in") and isinstance(other, (nodes.Tuple, nodes.List)) and not under(node, asked):
                if _is_size(traced, node.left, _DEPTH):
                    yield node
        elif type(node) is nodes.Call and (names := PROXY_REFUSES.intersection(facts.externals.get(node, ()))):
            lengths = "builtins.len" in names and not is_wrapped(program.analysis, program.index, "len")
            if (lengths or names != {"builtins.len"}) and not under(node, asked):
                if any(_is_size(traced, arg, _DEPTH, lengths) for arg in node.args):
                    yield node


def _iterated(node: nodes.NodeNG) -> bool:
    """True for what a star, a loop or a comprehension goes through; without a star an unpacking does not."""
    up: Any = node.parent
    if isinstance(up, nodes.Assign):
        return any(isinstance(t, nodes.Tuple) and any(isinstance(e, nodes.Starred) for e in t.elts) for t in up.targets)
    return isinstance(up, nodes.Starred) or (isinstance(up, (nodes.For, nodes.Comprehension)) and node is up.iter)


def _is_size(traced: _Traced, node: Any, depth: int, whole: bool = False) -> bool:
    """True for the shape, size, rank or stride of a proxy, and for what operators make of them; with `whole` for the
    proxy of a tensor as well.
    """
    if depth <= 0:
        return False
    made: Any = ()
    if isinstance(node, nodes.Name):
        made = (_bound(traced.scope, node.name),)
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
        if any(name.startswith("math.") for name in traced.facts.externals.get(node, ())):
            made = node.args
        elif isinstance(node.func, nodes.Attribute):
            made = (node.func.expr,)
    if any(_is_size(traced, part, depth - 1) for part in made):
        return True
    tensor: Any = node if whole else None
    if isinstance(node, nodes.Attribute) and node.attrname in PROXY_SIZES:
        tensor = node.expr
    elif isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname in PROXY_COUNTS:
        tensor = node.func.expr
    return tensor is not None and _is_proxy(traced, tensor, _DEPTH)


def _tensor(facts: Facts, part: Any) -> Any:
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
    return found


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
