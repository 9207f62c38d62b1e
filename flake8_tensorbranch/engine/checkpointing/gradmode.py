"""Tests that come out otherwise in a reentrant checkpoint's forward, which records no graph, than in its recompute."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import TENSOR, UNKNOWN, UNKNOWN_KIND
from flake8_tensorbranch.engine.regions.region import Membership
from flake8_tensorbranch.engine.sink import GRAD_MODE
from flake8_tensorbranch.knowledge.regions import REGION_ATTRIBUTES, entry
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.names import FunctionInfo

_ASKS: Final = "torch.is_grad_enabled"


def asked(scope: FunctionInfo | None, facts: Facts, member: Membership | None, node: nodes.NodeNG, test: Any) -> str:
    """`GRAD_MODE` where a test asks for it, or what it decides, in a reentrant checkpoint (facts D); else empty."""
    if scope is None or member is None or member.entry.reentrant is not True or _chooses_checkpoint(facts, node):
        return ""
    for found in test.nodes_of_class((nodes.Call, nodes.Attribute)):
        if isinstance(found, nodes.Call):
            if _ASKS in facts.externals.get(found, {}):
                return GRAD_MODE
        elif found.attrname in ("requires_grad", "grad_fn", "is_leaf") and _is_computed(scope, facts, found.expr):
            return GRAD_MODE
    return ""


def _is_computed(scope: FunctionInfo, facts: Facts, node: nodes.NodeNG) -> bool:
    """True for a local name that holds nothing but what operations gave, which records a graph or does not."""
    if not isinstance(node, nodes.Name):
        return False
    value = facts.values.get(node, UNKNOWN)
    told = bool(value.kinds & TENSOR) and not value.kinds & UNKNOWN_KIND
    bindings = [(b.lineno or 0, b) for b in scope.local_names.get(node.name, ())]
    # One that every run comes to before the test leaves nothing of those before it.
    sure = [at for at, b in bindings if at < (node.lineno or 0) and b.statement().parent is scope.node]
    sources = [assigned(bound) for at, bound in bindings if at >= max(sure, default=0)]
    return bool(sources) and all(
        isinstance(source, nodes.BinOp)
        or (told and isinstance(source, nodes.Call) and _computes(facts, source) and not _is_fresh(facts, source))
        for source in sources
    )


def _computes(facts: Facts, call: nodes.Call) -> bool:
    """True for a call with arguments, and for a method of a tensor."""
    func = call.func
    if call.args or not isinstance(func, nodes.Attribute):
        return bool(call.args)
    known = facts.values.get(func.expr)
    return known is None or known.must(TENSOR)  # None: no run comes there, as it seems


def _is_fresh(facts: Facts, call: nodes.Call) -> bool:
    """True for calls whose tensor never requires grad, or is a leaf: factories, `detach`."""
    names = facts.externals.get(call, {})
    last = call.func.attrname if isinstance(call.func, nodes.Attribute) else ""
    made = {name.rsplit(".", 1)[-1] for name in names} | {last}
    return bool(made & {"detach", "tensor", "as_tensor", "from_numpy", "arange", "Parameter"}) or any(
        name.startswith(("zeros", "ones", "empty", "full", "rand", "new_")) for name in made
    )


def _chooses_checkpoint(facts: Facts, node: nodes.NodeNG) -> bool:
    """True for a test that only decides whether a checkpoint is made: both ways compute the same."""
    for call in node.nodes_of_class(nodes.Call):
        if any(
            (row := entry(name)) is not None and row.kind == "checkpointed" for name in facts.externals.get(call, {})
        ):
            return True
        if isinstance(call.func, nodes.Attribute) and call.func.attrname in REGION_ATTRIBUTES:
            return True
    return False
