"""Caches that are filled once: a store whose own guard asks whether it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import places
from flake8_tensorbranch.engine.checkpointing.places import Place

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.checkpointing.insides import Activation

_SCOPES: Final = (nodes.FunctionDef, nodes.Lambda, nodes.ClassDef, nodes.Module)


def is_memo(activation: Activation, node: Any, place: Place) -> bool:
    """True when a store runs only where a test of the same state finds it missing or stale, and decides nothing else.

    Such a store makes its guard false: the recompute skips it and reads what the forward stored.
    """
    return guard(activation, node, place) is not None


def guard(activation: Activation, node: Any, place: Place) -> nodes.NodeNG | None:
    """The statement with the test that a store makes false; None for a store that is no memo."""
    child: Any = node
    up: Any = node.parent
    while up is not None and not isinstance(child, _SCOPES):
        if isinstance(up, nodes.If) and child is not up.test:
            if _asks(activation, up.test, place):
                missing = _says_missing(up.test)
                if missing is (child in up.body) or (missing is None and _only_stores(activation, up.body)):
                    return up
        elif isinstance(up, nodes.While) and child in up.body and _asks(activation, up.test, place):
            return up  # grows until it is large enough
        for block in ("body", "orelse"):
            statements = getattr(up, block, None)
            earlier = (
                statements[: statements.index(child)] if isinstance(statements, list) and child in statements else []
            )
            hit: nodes.NodeNG | None = next((s for s in earlier if _is_hit(activation, s, place)), None)
            if hit is not None:
                return hit
        child, up = up, up.parent
    return None


def _asks(activation: Activation, test: nodes.NodeNG, place: Place) -> bool:
    """True when a test reads the state, or what holds it: `self.table is None`, `key in self.tables`, `hasattr()`."""
    for read in test.nodes_of_class((nodes.Attribute, nodes.Name, nodes.Subscript)):
        if isinstance(read, nodes.Name) and isinstance(read.parent, nodes.Attribute):
            continue
        found = places.of(activation, read)
        if found is not None and found.meets(place):
            return True
    for call in test.nodes_of_class(nodes.Call):
        name = call.args[1] if len(call.args) > 1 else None
        if (
            isinstance(call.func, nodes.Name)
            and call.func.name in ("hasattr", "getattr")
            and isinstance(name, nodes.Const)
        ):
            return place.path[:1] == (name.value,)
    return False


def _says_missing(test: nodes.NodeNG) -> bool | None:
    """Whether a test for None, a key or an attribute says, where true, that it is missing; None for other tests."""
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        inner = _says_missing(test.operand)
        return None if inner is None else not inner
    if isinstance(test, nodes.BoolOp):
        return next((s for s in (_says_missing(v) for v in test.values) if s is not None), None)
    if isinstance(test, nodes.Compare):
        ops = [op for op, _ in test.ops]
        return True if ops[0] in ("is", "not in") else False if ops[0] in ("is not", "in") else None
    return False if isinstance(test, nodes.Call) and getattr(test.func, "name", "") == "hasattr" else None


def _only_stores(activation: Activation, body: list[Any]) -> bool:
    """True when statements change nothing but state that outlives the run."""
    for statement in body:
        if isinstance(statement, (nodes.Assign, nodes.AnnAssign, nodes.AugAssign)):
            targets = statement.targets if isinstance(statement, nodes.Assign) else [statement.target]
            if isinstance(statement, nodes.AugAssign) or not all(
                isinstance(t, (nodes.AssignAttr, nodes.Subscript)) for t in targets
            ):
                return False
        elif isinstance(statement, nodes.Expr) and isinstance(statement.value, nodes.Call):
            func = statement.value.func
            if not isinstance(func, nodes.Attribute) or places.of(activation, func.expr) is None:
                return False
        elif isinstance(statement, nodes.With):
            if not _only_stores(activation, statement.body):
                return False
        elif not isinstance(statement, nodes.Pass):
            return False
    return True


def _is_hit(activation: Activation, statement: Any, place: Place) -> bool:
    """True for `if self.table is not None: return self.table` and its like."""
    if not isinstance(statement, nodes.If) or not statement.body or not isinstance(statement.body[-1], nodes.Return):
        return False
    return _says_missing(statement.test) is False and _asks(activation, statement.test, place)
