"""Whether a recompute that adds operations saves in the first of them what the forward saved last, and stops there."""

from __future__ import annotations

from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import saving
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.lattice import TENSOR, UNKNOWN, UNKNOWN_KIND
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.lookup.origins import Origins, position
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.tensors import INPUT_SAVING_LAYERS, SAVES_INPUT, SAVES_INPUT_FIRST


def saves_alike(origins: Origins, activation: Activation, branch: Any, added: Any) -> bool:
    """True where the side of a branch that the recompute alone takes begins with an operation which saves, first of
    all, its input, and one single operation comes after the branch, which saves this same input and nothing else: the
    recompute finds in its place what the forward saved, and stops.
    """
    if next(loops.around(branch), None) is not None:
        return False
    ends = [n for n in saving.following(branch, True) if saving.saves(origins, activation, n)]
    if len(ends) != 1 or saving.after(origins, activation, ends[0], own=False):
        return False
    last = _input(activation, ends[0])
    if isinstance(branch, nodes.If):
        first = added[0] if added else None
        value = first.value if isinstance(first, (nodes.Assign, nodes.AnnAssign, nodes.Return)) else None
        given = last
        own = [s for top in added for s in top.nodes_of_class(nodes.AssignName)]
    else:
        kept, target = branch.parent, None
        if isinstance(kept, nodes.Assign) and len(kept.targets) == 1 and kept.value is branch:
            target = getattr(kept.targets[0], "name", None)
        other = branch.orelse if added is branch.body else branch.body
        value, given = added, other.name if isinstance(other, nodes.Name) else ""
        own = [kept.targets[0]] if target else []
        if last not in (target, given):
            return False
    if not last or not given or _input(activation, _innermost(activation, value), first=True) != given:
        return False
    later = activation.function.local_names.get(last, ())
    end = ends[0].statement()
    return not any(position(b) > position(branch) and b not in own and b.statement() is not end for b in later)


def _innermost(activation: Activation, node: Any) -> Any:
    """The operation of an expression that runs before all others of it."""
    while True:
        inner: Any = None
        if isinstance(node, nodes.Call):
            inner = node.args[0] if node.args else None
            func: Any = node.func
            if _is_method(activation, func):
                inner = func.expr
        elif isinstance(node, nodes.BinOp):
            inner = node.left
        if not isinstance(inner, (nodes.Call, nodes.BinOp)):
            return node
        node = inner


def _input(activation: Activation, node: Any, first: bool = False) -> str:
    """The name of the tensor that an operation saves, alone or, with `first`, before others; empty for any other."""
    if isinstance(node, nodes.BinOp):
        left, right = node.left, node.right
        power = node.op == "**" and isinstance(right, nodes.Const)
        square = first and node.op == "*" and isinstance(right, nodes.Name) and getattr(left, "name", "") == right.name
        return str(left.name) if (power or square) and isinstance(left, nodes.Name) else ""
    if not isinstance(node, nodes.Call):
        return ""
    func: Any = node.func
    given = node.args[0] if node.args else None
    if any(k.arg in ("inplace", "out") for k in node.keywords):
        return ""
    layers = [str(r.cls) for r in activation.facts.values.get(func, UNKNOWN).each if isinstance(r, Instance)]
    method = _is_method(activation, func)
    if layers and not method:
        known = all(n in INPUT_SAVING_LAYERS for n in layers)
        return given.name if known and isinstance(given, nodes.Name) else ""
    names = [func.attrname] if method else list(activation.facts.externals.get(node, {}))
    if not method and not all(n.startswith("torch.") for n in names):
        return ""
    words = {n.rsplit(".", 1)[-1] for n in names}
    given = func.expr if method else given
    others = [*node.args[int(not method) :], *(k.value for k in node.keywords)]
    alone = words <= SAVES_INPUT and not any(_may_be(activation, other) for other in others)
    known = bool(words) and (alone or (first and words <= SAVES_INPUT_FIRST))
    return given.name if known and isinstance(given, nodes.Name) else ""


def _is_method(activation: Activation, func: Any) -> bool:
    """True for the method of a tensor."""
    return isinstance(func, nodes.Attribute) and bool(activation.facts.values.get(func.expr, UNKNOWN).kinds & TENSOR)


def _may_be(activation: Activation, given: Any) -> bool:
    """True for an argument that may be a tensor."""
    return bool(activation.facts.values.get(given, UNKNOWN).kinds & (TENSOR | UNKNOWN_KIND))
