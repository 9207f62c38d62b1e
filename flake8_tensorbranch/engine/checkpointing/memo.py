"""Caches that are filled once: a store whose own guard asks whether it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import places, stores
from flake8_tensorbranch.engine.checkpointing.places import Place
from flake8_tensorbranch.syntax.kinds import SCOPE_NODES
from flake8_tensorbranch.syntax.printing import source_of

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.checkpointing.insides import Activation

_MISSES: Final = ("KeyError", "AttributeError", "LookupError", "IndexError")


def is_memo(activation: Activation, node: Any, place: Place) -> bool:
    """True when a store runs only where a test of the same state finds it missing or stale, and decides nothing else.

    Such a store makes its guard false: the recompute skips it and reads what the forward stored. The guard may stand
    in a caller, and ask for a flag or a key that the same branch sets.
    """
    if guard(activation, node, place) is not None or _picks(activation, getattr(node, "value", None), place):
        return True
    at: Activation | None = activation
    child, way = node, [(activation, node)]
    while at is not None and child is not None:
        up: Any = child.parent
        while up is not None and not isinstance(child, SCOPE_NODES):
            if isinstance(up, nodes.If) and child in up.body and _is_filled(at, up, place, way):
                return True
            child, up = up, up.parent
        child, at = at.call, at.parent
        if at is not None:
            way.append((at, child))
    return False


def _picks(activation: Activation, value: Any, place: Place) -> bool:
    """True for `self.table if self.table is not None else ...`: what is there is kept."""
    if not isinstance(value, nodes.IfExp) or not _asks(activation, value.test, place):
        return False
    kept = value.orelse if _says_missing(value.test) else value.body
    return places.of(activation, kept) == place


def made(activation: Activation, value: Any, place: Place) -> Any:
    """What a store puts in a cache that is empty."""
    if not _picks(activation, value, place):
        return value
    return value.body if _says_missing(value.test) else value.orelse


def _is_filled(at: Activation, branch: nodes.If, place: Place, way: list[tuple[Activation, Any]]) -> bool:
    """True for a branch that only stores, and whose test is false once it ran: it asks for `place`, or for a flag or a
    key that is set on the `way` to the store.
    """
    if not _only_stores(at, branch.body):
        return False
    tests = branch.test.values if isinstance(branch.test, nodes.BoolOp) else [branch.test]
    if isinstance(branch.test, nodes.BoolOp) and branch.test.op != "and":
        return False
    for test in tests:
        asked = test.operand if isinstance(test, nodes.UnaryOp) and test.op == "not" else None
        if isinstance(test, nodes.Compare) and len(test.ops) == 1 and test.ops[0][0] in ("is", "!=", "is not"):
            asked = test.left
        held = None if asked is None else places.of(at, asked)
        if held is None:
            continue
        if held == place and _says_missing(test) is True:
            return True
        if any(_settles(test, value) for value in _stored_to(held, way, branch)):
            return True
    return False


def _stored_to(held: Place, way: list[tuple[Activation, Any]], branch: nodes.If) -> Iterator[nodes.NodeNG]:
    """What is assigned to a state by the functions on a way; of the last of them, by the branch alone."""
    for activation, _ in way:
        tops: list[Any] = branch.body if activation is way[-1][0] else [activation.function.node]
        for statement in (s for top in tops for s in top.nodes_of_class(nodes.Assign, SCOPE_NODES)):
            if any(places.of(activation, target) == held for target in statement.targets):
                yield statement.value


def _settles(test: Any, value: Any) -> bool:
    """True where a value that is stored makes a test for it false."""
    if isinstance(test, nodes.UnaryOp):
        return isinstance(value, nodes.Const) and bool(value.value)
    operator, other = test.ops[0]
    if operator == "is":
        return isinstance(other, nodes.Const) and not (isinstance(value, nodes.Const) and value.value == other.value)
    return source_of(value) == source_of(other)


def _is_missing(activation: Activation, handler: nodes.ExceptHandler, place: Place) -> bool:
    """True for a handler of what reading a state raises where nothing is there."""
    caught = handler.type.elts if isinstance(handler.type, nodes.Tuple) else [handler.type]
    tried: list[Any] = handler.parent.body if isinstance(handler.parent, nodes.Try) else []
    return any(getattr(name, "name", "") in _MISSES for name in caught) and any(
        places.of(activation, read) == place
        for statement in tried
        for read in statement.nodes_of_class((nodes.Subscript, nodes.Attribute))
    )


def guard(activation: Activation, node: Any, place: Place) -> nodes.NodeNG | None:
    """The statement with the test that a store makes false; None for a store that is no memo."""
    child: Any = node
    up: Any = node.parent
    while up is not None and not isinstance(child, SCOPE_NODES):
        if isinstance(up, nodes.If) and child is not up.test:
            if _asks(activation, up.test, place):
                missing = _says_missing(_asking(activation, up.test, place))
                if missing is (child in up.body) or (missing is None and _only_stores(activation, up.body)):
                    return up
        elif isinstance(up, nodes.While) and child in up.body and _asks(activation, up.test, place):
            return up  # grows until it is large enough
        elif isinstance(up, nodes.ExceptHandler) and _is_missing(activation, up, place):
            return up.parent
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
    compare: Any
    for compare in test.nodes_of_class(nodes.Compare):
        op, held = compare.ops[0]
        owner = stores.dictionary_of(held) if op in ("in", "not in") and isinstance(compare.left, nodes.Const) else None
        if owner is not None and places.attribute(activation, owner, str(compare.left.value)) == place:
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


def _asking(activation: Activation, test: nodes.NodeNG, place: Place) -> nodes.NodeNG:
    """The operand of an `and` or `or` that asks for the state; the test itself where it is no such."""
    if not isinstance(test, nodes.BoolOp):
        return test
    return next((_asking(activation, v, place) for v in test.values if _asks(activation, v, place)), test)


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
    """True when statements change nothing but state that outlives the run, and locals of their own."""
    for statement in body:
        if isinstance(statement, (nodes.Assign, nodes.AnnAssign, nodes.AugAssign)):
            targets = statement.targets if isinstance(statement, nodes.Assign) else [statement.target]
            if isinstance(statement, nodes.AugAssign) or not all(
                _is_kept(activation, t) for target in targets for t in getattr(target, "elts", [target])
            ):
                return False
        elif isinstance(statement, nodes.If):
            if not _only_stores(activation, [*statement.body, *statement.orelse]):
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


def _is_kept(activation: Activation, target: Any) -> bool:
    """True for a target that nothing after the branch tells from state: a local is one that only the branch reads."""
    if isinstance(target, nodes.AssignName):
        function, branch = activation.function, target.statement().parent
        if target.name in function.declared_global or target.name in function.declared_nonlocal:
            return True
        uses = (n for n in function.node.nodes_of_class(nodes.Name) if n.name == target.name)
        return branch is not None and all(branch.parent_of(use) for use in uses)
    return isinstance(target, (nodes.AssignAttr, nodes.Subscript))


def _is_hit(activation: Activation, statement: Any, place: Place) -> bool:
    """True for `if self.table is not None: return self.table` and its like."""
    if not isinstance(statement, nodes.If) or not statement.body or not isinstance(statement.body[-1], nodes.Return):
        return False
    return _says_missing(statement.test) is False and _asks(activation, statement.test, place)
