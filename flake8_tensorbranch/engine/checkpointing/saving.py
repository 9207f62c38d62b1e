"""Where in a region tensors are saved for backward: a non-reentrant recompute stops at the last of them (facts B9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lattice import CONTAINER, HOST, TENSOR, UNKNOWN, UNKNOWN_KIND, AbstractValue, element
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.containers import CHANGES, GIVES_ELEMENTS
from flake8_tensorbranch.knowledge.gradients import CUTS, FACTORIES
from flake8_tensorbranch.knowledge.modules import ITERATES_TENSORS
from flake8_tensorbranch.knowledge.tensors import REARRANGES, SAVES_NOTHING, SAVING_OPERATORS
from flake8_tensorbranch.syntax.kinds import NESTED, SCOPE_NODES
from flake8_tensorbranch.syntax.names import last_name

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.checkpointing.insides import Activation


_BUILTINS: Final = frozenset("print len isinstance range zip enumerate reversed list tuple dict".split())
# Nothing of these is saved for backward: they need no tensor there, leave the graph, or are Python's own.
_FREE: Final = SAVES_NOTHING | REARRANGES | CUTS | FACTORIES | CHANGES | GIVES_ELEMENTS | ITERATES_TENSORS | _BUILTINS


def follows(origins: Origins, activation: Activation, node: nodes.NodeNG, rounds: bool = True) -> bool:
    """True when the function itself may save a tensor once `node` has run; without `rounds`, in a loop's last one."""
    return any(saves(origins, activation, found) for found in following(node, rounds))


def after(origins: Origins, activation: Activation, node: nodes.NodeNG, own: bool = True, rounds: bool = True) -> bool:
    """True when the region may save a tensor once `node` has run, there or in the functions that called up to it.

    Without `own` the function ends at the node, without `rounds` each loop around it does.
    """
    current: Activation | None = activation
    at: Any = node
    while current is not None:
        if (own or current is not activation) and follows(origins, current, at, rounds):
            return True
        call = current.call
        if isinstance(call, nodes.Call) and current.parent is not None:
            func = current.parent.facts.values.get(call.func, UNKNOWN)
            if any(isinstance(r, Instance) and r.cls == "torch.nn.Sequential" for r in func.refs):
                return True  # modules of the chain that follow
        at, current = call, current.parent
    return False


def is_over(origins: Origins, activation: Activation, node: nodes.NodeNG) -> bool:
    """True for what no recompute makes use of: a non-reentrant one has stopped before anything hangs on it."""
    return activation.entry.reentrant is False and not hangs(origins, activation, node)


def hangs(origins: Origins, activation: Activation, node: nodes.NodeNG) -> bool:
    """True when what an expression decides or enters may save a tensor: the sides or rounds that it stands before, or
    what runs later.
    """
    child: Any = node
    while not child.is_statement:
        up = child.parent
        if isinstance(up, (nodes.IfExp, nodes.BoolOp, nodes.ComprehensionScope)):
            if any(saves(origins, activation, found) for found in _operations(up)):
                return True
        if up is None or isinstance(up, SCOPE_NODES):
            break
        child = up
    if isinstance(child, (nodes.If, nodes.While, nodes.For, nodes.With, nodes.Match, nodes.Try)):
        if any(saves(origins, activation, found) for found in _operations(child)):
            return True
    return after(origins, activation, node)


def enters(origins: Origins, activation: Activation, node: nodes.NodeNG) -> bool:
    """True when an expression stands in an operation of its own statement that may save a tensor."""
    up: Any = node.parent
    while up is not None and not up.is_statement and not isinstance(up, SCOPE_NODES):
        if saves(origins, activation, up):
            return True
        up = up.parent
    return False


def within(origins: Origins, activation: Activation, statements: list[Any]) -> bool:
    """True when statements may save a tensor."""
    return any(saves(origins, activation, found) for top in statements for found in _operations(top))


def saves(origins: Origins, activation: Activation, node: nodes.NodeNG) -> bool:
    """True when an expression may save a tensor for backward."""
    value = activation.facts.values.get(node)
    if value is None:
        return False
    if isinstance(node, nodes.BinOp):
        found = bool(value.kinds & TENSOR) and node.op in SAVING_OPERATORS and not _scales(activation, node)
    elif isinstance(node, nodes.Call):
        func = node.func
        name = last_name(func)
        found = (
            name not in _FREE
            and not isinstance(node.parent, nodes.Raise)
            and not (name.endswith("_") and isinstance(node.parent, nodes.Expr))
            and _gives_tensor(value)
        )
    else:
        return False
    return found and not without_grad(origins, Expr(activation.function.module, activation.function, node), 0)


def may_save(call: nodes.Call) -> bool:
    """True for a call that may save a tensor, as far as its name tells."""
    return last_name(call.func) not in _FREE and not isinstance(call.parent, nodes.Raise)


def _scales(activation: Activation, node: nodes.BinOp) -> bool:
    """True for a product with a number, or a quotient by one: their derivatives need no tensor."""
    given = {"*": (node.left, node.right), "/": (node.right,)}.get(node.op, ())
    return any(activation.facts.values.get(g, UNKNOWN).must(HOST) for g in given)


def _gives_tensor(value: AbstractValue) -> bool:
    return bool(value.kinds & (TENSOR | UNKNOWN_KIND)) or bool(
        value.kinds & CONTAINER and element(value).kinds & TENSOR
    )


def _operations(top: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    if not isinstance(top, NESTED):
        yield from top.nodes_of_class((nodes.Call, nodes.BinOp), NESTED)


def following(node: Any, rounds: bool) -> Iterator[nodes.NodeNG]:
    """Operations that may run after a node in its function: around it, in later statements, in the rounds to come."""
    if node is None:
        return
    child, up = node, node.parent
    while up is not None and not isinstance(child, SCOPE_NODES):
        if isinstance(up, (nodes.Call, nodes.BinOp)) and not child.is_statement:
            yield up
        if rounds and isinstance(up, (nodes.For, nodes.While)) and child in up.body:
            yield from _operations(up)
        for block in ("body", "orelse", "handlers", "finalbody"):
            statements = getattr(up, block, None)
            if not isinstance(statements, list) or child not in statements:
                continue
            for later in statements[statements.index(child) + 1 :]:
                yield from _operations(later)
            if isinstance(up, nodes.Try) and block == "body":
                for later in (*up.orelse, *up.finalbody):
                    yield from _operations(later)
            if _leaves(child) or any(_leaves(s) for s in statements[statements.index(child) :]):
                return  # the function ends in this block
        child, up = up, up.parent


def _leaves(statement: nodes.NodeNG) -> bool:
    return isinstance(statement, (nodes.Return, nodes.Raise))
