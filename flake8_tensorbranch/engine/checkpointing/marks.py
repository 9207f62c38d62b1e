"""Whether a recompute makes use of a tensor that is written to, or saves others once it requires grad."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import asked, saving
from flake8_tensorbranch.engine.checkpointing.alterations import Alteration
from flake8_tensorbranch.engine.checkpointing.earlystop import stops
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.lattice import TENSOR
from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.origins import Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.gradients import BIASED
from flake8_tensorbranch.syntax.names import last_name

_SUMS: Final = ("+", "-")


def bears(origins: Origins, change: Alteration, region: list[Activation]) -> bool:
    """False where the recompute has stopped before it makes use of a tensor that is written to; and where a tensor is
    told to require grad, and each place of a non-reentrant region that reads it adds it to what has a graph, or is the
    last that saves anything.
    """
    judge = {"requires_grad": _saves, "parameters": _hangs}.get(change.what)
    target = change.target
    if (
        judge is None
        or not isinstance(target.node, (nodes.Name, nodes.Attribute))
        or not origins.value(target).kinds & TENSOR
    ):
        return True
    found = [(activation, read) for activation in region for read in _reads(origins, change, activation)]
    return not found or any(judge(origins, activation, read) for activation, read in found)


def _reads(origins: Origins, change: Alteration, activation: Activation) -> list[Any]:
    node, function = change.target.node, activation.function
    if isinstance(node, nodes.Name):
        if owner(function, node.name) is not owner(change.target.scope, node.name) or node.name in function.local_names:
            return []
        return [n for n in function.node.nodes_of_class(nodes.Name) if n.name == node.name]
    holder = origins.value(replace(change.target, node=node.expr))
    return list(asked.reads(activation, node.attrname, {r.cls for r in holder.each if isinstance(r, Instance)}))


def _hangs(origins: Origins, activation: Activation, read: Any) -> bool:
    return not saving.is_over(origins, activation, read)


def _saves(origins: Origins, activation: Activation, read: Any) -> bool:
    """True where the operation that a read enters may save more, and the recompute comes to the end of it."""
    up = read.parent
    if isinstance(up, nodes.Call) and last_name(up.func) in BIASED and up.args[2:3] == [read]:
        return False
    if not stops(origins, activation.entry, activation.function) or not isinstance(up, nodes.BinOp):
        return True
    if up.op in _SUMS:
        other = up.right if up.left is read else up.left
        params = {p.name for p in activation.function.params}
        if any(n.name in params for n in other.nodes_of_class(nodes.Name)):
            return False
    return saving.after(origins, activation, up)
