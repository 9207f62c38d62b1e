"""Which way a predicate can flip between forward and recompute, and whether what then runs comes after all is saved."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import saving
from flake8_tensorbranch.engine.checkpointing.changes import Change, How
from flake8_tensorbranch.engine.checkpointing.earlystop import stops
from flake8_tensorbranch.engine.checkpointing.firstsaved import saves_alike
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.lookup.origins import Origins
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.kinds import SCOPE_NODES
from flake8_tensorbranch.syntax.names import dotted
from flake8_tensorbranch.syntax.printing import source_of

_GROWS: Final = {">": True, ">=": True, "<": False, "<=": False}
_CHAINED: Final[dict[str, Callable[[object, object], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
}


def is_harmless(origins: Origins, activation: Activation, test: Any, state: Any, changes: list[Change]) -> bool:
    """True where the recompute can only take the side that adds something at the region's end, which a non-reentrant
    one does not come to; and where the state never changes, as far as the file tells.
    """
    if _is_constant(activation, state, changes):
        return True
    outcomes = {_outcome(test, state, change) for change in changes}
    outcome = outcomes.pop() if len(outcomes) == 1 else None
    if outcome is None or not stops(origins, activation.entry, activation.function):
        return False
    branch: Any = test.parent
    forward: Any
    if isinstance(branch, nodes.If) and branch.test is test:
        forward = branch.orelse if outcome else branch.body
        saves = saving.within(origins, activation, forward)
    elif isinstance(branch, nodes.IfExp) and branch.test is test:
        forward = branch.orelse if outcome else branch.body
        saves = saving.within(origins, activation, [forward]) or saving.enters(origins, activation, branch)
    else:
        return False
    if saves:
        return False
    # Where the forward leaves the function on its side, all that the recompute comes to is added.
    if not saving.after(origins, activation, branch, own=not _leaves(forward)):
        return True
    added = branch.body if outcome else branch.orelse
    return (isinstance(branch, nodes.IfExp) or not forward) and saves_alike(origins, activation, branch, added)


def _leaves(block: Any) -> bool:
    """True for a side that ends the function: what follows belongs to the other."""
    return isinstance(block, list) and any(isinstance(s, (nodes.Return, nodes.Raise)) for s in block)


def _outcome(test: Any, state: Any, change: Change) -> bool | None:
    """How a predicate comes out in the recompute if it comes out otherwise than in the forward; None for both ways."""
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        inner = _outcome(test.operand, state, change)
        return None if inner is None else not inner
    if change.how is How.STORES and isinstance(change.value, nodes.Const):
        return _of_constant(test, state, change.value.value)
    op, step = _step(change)
    if not isinstance(test, nodes.Compare) or len(test.ops) != 1 or not isinstance(step, (int, float)) or step <= 0:
        return None
    order, right = test.ops[0]
    number = right.operand if isinstance(right, nodes.UnaryOp) else right
    if test.left is not state or not isinstance(number, nodes.Const) or order not in _GROWS:
        return None
    return _GROWS[order] == (op == "+")


def _step(change: Change) -> tuple[str, object]:
    """What a change counts a state up or down by, in either spelling: `n += 1`, `n = n + 1`, `d[k] = d.get(k, 0) + 1`;
    nothing for any other.
    """
    node: Any = change.node
    if isinstance(node, nodes.AugAssign):
        op, value = node.op.removesuffix("="), node.value
    elif isinstance(change.value, nodes.BinOp) and _is_of(change.value.left, getattr(node, "targets", [node])[0]):
        op, value = change.value.op, change.value.right
    else:
        return "", None
    return (op, value.value) if op in ("+", "-") and isinstance(value, nodes.Const) else ("", None)


def _is_of(read: Any, target: Any) -> bool:
    """True for a read of what is stored."""
    func = read.func if isinstance(read, nodes.Call) else None
    if isinstance(func, nodes.Attribute) and func.attrname == "get" and isinstance(target, nodes.Subscript):
        key = read.args[0] if read.args else None
        return key is not None and (source_of(func.expr), source_of(key)) == (
            source_of(target.value),
            source_of(target.slice),
        )
    return bool(source_of(read) == source_of(target))


def _of_constant(test: Any, state: Any, value: object) -> bool | None:
    if test is state:
        return bool(value)
    if not isinstance(test, nodes.Compare) or len(test.ops) != 1 or test.left is not state:
        return None
    op, right = test.ops[0]
    compare = _CHAINED.get(op)
    return bool(compare(value, right.value)) if compare is not None and isinstance(right, nodes.Const) else None


def _is_constant(activation: Activation, state: Any, changes: list[Change]) -> bool:
    """True for an attribute that every place of the file sets to one literal, the constructor before all."""
    if not isinstance(state, nodes.Attribute) or not all(c.how is How.STORES for c in changes):
        return False
    index = activation.function.module
    if index.mentions(("setattr", "__dict__", "vars(")) or dotted(state) is None:
        return False
    found: list[Any] = []
    constructed = False
    for function in index.functions:
        for store in function.attribute_stores:
            if store.attrname == state.attrname:
                if not isinstance(store.parent, nodes.Assign):
                    return False
                found.append(assigned(store))
                constructed = constructed or function.name == "__init__"
    for statement in index.tree.body:
        if isinstance(statement, (*SCOPE_NODES, nodes.Import, nodes.ImportFrom)):
            continue
        if any(n.attrname == state.attrname for n in statement.nodes_of_class(nodes.AssignAttr)):
            return False
    constants = [v.value for v in found if isinstance(v, nodes.Const)]
    return constructed and len(constants) == len(found) and all(c == constants[0] for c in constants)
