"""Changes that a region has an `ExitStack` take back: the recompute starts from the state that the forward found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.stores import of_call
from flake8_tensorbranch.engine.lattice import UNKNOWN
from flake8_tensorbranch.engine.refs import Closure
from flake8_tensorbranch.knowledge.containers import REPEATS, TAKES
from flake8_tensorbranch.syntax.names import FunctionInfo
from flake8_tensorbranch.syntax.printing import source_of

OPPOSITE: Final = {"+=": "-=", "-=": "+="}
_STACKS: Final = ("ExitStack", "AsyncExitStack")


def take_back(activation: Activation, node: Any) -> bool:
    """True for a change that a callback of an exit stack of the same function undoes: by the opposite, a store of what
    was there before, or by taking away what is added. It runs also where the recompute stops early.
    """
    for call in activation.function.calls:
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname == "callback" and call.args:
            if _is_stack(activation, call, func.expr) and any(_undoes(each, node) for each in _run(activation, call)):
                return True
    return False


def _is_stack(activation: Activation, call: nodes.NodeNG, stack: nodes.NodeNG) -> bool:
    """True for an exit stack that a `with` around a call binds."""
    up: Any = call.parent
    while up is not None and up is not activation.function.node:
        for manager, bound in up.items if isinstance(up, nodes.With) else ():
            if any(n.endswith(_STACKS) for n in activation.facts.externals.get(manager, ())):
                return bound is not None and source_of(bound) == source_of(stack)
        up = up.parent
    return False


def _run(activation: Activation, call: nodes.Call) -> Iterator[tuple[str, str, Any]]:
    """What a callback does: how, to what, and with what."""
    given = call.args[0]
    if isinstance(given, nodes.Name) and given.name == "setattr" and len(call.args) == 4:
        name = call.args[2]
        if isinstance(name, nodes.Const):
            yield "=", f"{source_of(call.args[1])}.{name.value}", call.args[3]
        return
    if isinstance(given, nodes.Attribute):
        yield given.attrname, source_of(given.expr), None
    for ref in activation.facts.values.get(given, UNKNOWN).each:
        function = ref.function if isinstance(ref, Closure) else ref
        if isinstance(function, FunctionInfo):
            yield from _in_function(function)


def _in_function(function: FunctionInfo) -> Iterator[tuple[str, str, Any]]:
    for statement in function.node.nodes_of_class((nodes.AugAssign, nodes.Assign)):
        if isinstance(statement, nodes.AugAssign):
            yield statement.op, source_of(statement.target), statement.value
        elif len(statement.targets) == 1:
            yield "=", source_of(statement.targets[0]), statement.value
    for call in function.calls:
        stored = of_call(call)
        if stored is not None and stored.value is not None:
            yield "=", f"{source_of(stored.holder)}.{stored.name}", stored.value
        elif isinstance(call.func, nodes.Attribute):
            yield call.func.attrname, source_of(call.func.expr), None


def _undoes(undoing: tuple[str, str, Any], node: Any) -> bool:
    how, target, value = undoing
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute):
        return node.func.attrname in REPEATS and how in TAKES and target == source_of(node.func.expr)
    if not isinstance(node, (nodes.AugAssign, nodes.Assign)):
        return False
    changed = node.target if isinstance(node, nodes.AugAssign) else node.targets[0]
    if target != source_of(changed):
        return False
    if how == "=":
        return isinstance(value, nodes.Name) or (value is not None and source_of(value) == target)
    return (
        isinstance(node, nodes.AugAssign) and how == OPPOSITE.get(node.op) and source_of(value) == source_of(node.value)
    )
