"""What the way behind a handler comes to that takes a stop: it fails where it reads what is not bound or filled yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.lookup.origins import position
from flake8_tensorbranch.knowledge.containers import FILLS, ITERATES, NEEDS_ONE
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.kinds import FUNCTIONS, NESTED
from flake8_tensorbranch.syntax.names import FunctionInfo, last_name

FAILS: Final = "fails"
NONE: Final = "none"
"""The function gives None."""
ENDS: Final = "ends"
"""It ends in another way, or in one that the source does not tell."""

_UNBOUND: Final = "unbound"
_EMPTY: Final = "empty"
_State = dict[str, str]
_SIMPLE: Final = (nodes.Return, nodes.Assign, nodes.AnnAssign, nodes.AugAssign, nodes.Expr, nodes.Assert)
_LEAVING: Final = (nodes.Return, nodes.Raise, nodes.Break, nodes.Continue)


class Way:
    """One way through a function, by what some names hold on it."""

    def __init__(self, state: _State, shared: Collection[str]) -> None:
        self.state = {name: kind for name, kind in state.items() if name not in shared}
        """What some names hold: `_UNBOUND`, `NONE` or `_EMPTY`."""
        self.shared = shared
        """Names that other functions bind as well: a call may bind them."""
        self.taken: list[Any] = []
        """The statements of the sides that the way takes since something is None or empty."""

    def behind(self, child: Any) -> str:
        """What the statements come to that run after one."""
        while not isinstance(child, FUNCTIONS):
            found = self.run(_later(child))
            if found is not None:
                return found
            child = child.parent
        return NONE

    def run(self, statements: list[Any]) -> str | None:
        """What a run of statements comes to; None where it reaches their end."""
        for statement in statements:
            if isinstance(statement, NESTED):
                self._forget([statement.name])
                continue
            found = self._statement(statement)
            if found is not None:
                return found
        return None

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            self.state.pop(name, None)

    def _statement(self, statement: Any) -> str | None:
        self._forget(n.target.name for n in statement.nodes_of_class(nodes.NamedExpr, NESTED))
        if isinstance(statement, nodes.If):
            return self._branch(statement)
        if isinstance(statement, nodes.With):
            if any(_breaks(manager, self.state) for manager, _ in statement.items):
                return FAILS
            for _, target in statement.items:
                self._forget(() if target is None else _targets(target))
            return self.run(statement.body)
        if isinstance(statement, nodes.For):
            return FAILS if _breaks(statement.iter, self.state) else self._skipped(statement)
        if isinstance(statement, nodes.Match):
            return FAILS if _breaks(statement.subject, self.state) else self._skipped(statement)
        if isinstance(statement, (nodes.While, nodes.Try, nodes.TryStar, *_LEAVING[1:])):
            return ENDS
        if isinstance(statement, _SIMPLE):
            return self._simple(statement)
        self._forget(_targets(statement))
        return None

    def _simple(self, statement: Any) -> str | None:
        state = self.state
        if isinstance(statement, nodes.Assert):
            fails = _breaks(statement.test, state) or _outcome(statement.test, state) is False
            return FAILS if fails else None
        value, target = statement.value, getattr(statement, "target", None)
        if value is not None and _breaks(value, state):
            return FAILS
        if isinstance(statement, nodes.AugAssign) and isinstance(target, nodes.AssignName):
            if state.get(target.name) in (_UNBOUND, NONE):
                return FAILS
        if isinstance(statement, nodes.Return):
            return NONE if _is_none(value, state) else ENDS
        self._forget((*_targets(statement), *_filled(statement), *self._handed(statement)))
        if isinstance(statement, nodes.Assign):
            self._hold(statement)
        return None

    def _hold(self, statement: nodes.Assign) -> None:
        """Keep in mind that a name is None or empty from here on."""
        kind = NONE if _is_none(statement.value, self.state) else _EMPTY if _is_empty(statement.value) else ""
        for target in statement.targets if kind else ():
            if isinstance(target, nodes.AssignName) and target.name not in self.shared:
                self.state[target.name] = kind

    def _handed(self, statement: Any) -> Iterator[str]:
        """The names of what is empty that a statement hands to what may fill it."""
        for node in statement.nodes_of_class(nodes.Name, NESTED):
            up = node.parent
            asks = isinstance(up, nodes.Call) and node in up.args and last_name(up.func) in ITERATES | {"print"}
            if self.state.get(node.name) == _EMPTY and not asks:
                yield node.name

    def _branch(self, statement: nodes.If) -> str | None:
        if _breaks(statement.test, self.state):
            return FAILS
        outcome = _outcome(statement.test, self.state)
        if outcome is None:
            return self._skipped(statement)
        side = statement.body if outcome else statement.orelse
        self.taken.extend(side)
        return FAILS if side and isinstance(side[-1], nodes.Raise) else self.run(side)

    def _skipped(self, statement: Any) -> str | None:
        """What a statement means whose body runs or not: it may leave, or bind."""
        self._forget(_targets(statement))
        for node in statement.nodes_of_class(nodes.Name, NESTED):
            if self.state.get(node.name) == _EMPTY:
                self._forget([node.name])
        return ENDS if next(statement.nodes_of_class(_LEAVING, NESTED), None) is not None else None


def stopped(function: FunctionInfo, block: Any, handler: list[Any], saves: Callable[[Any], bool]) -> str:
    """What the way from a `try` or `with` of the function comes to, stopped at the last of its statements that saves,
    through a handler's statements to the end of the function. `saves` tells of a statement that it may save a tensor.
    """
    if not _is_straight(block):
        return ENDS
    body = list(_flat(block.body))
    last = next((i for i in range(len(body) - 1, -1, -1) if saves(body[i])), len(body))
    way = Way(_left(function, block, body[last:]), _shared(function.node))
    final = getattr(block, "finalbody", [])
    if any(next(s.nodes_of_class(_LEAVING, NESTED), None) is not None for s in final):
        return ENDS
    return way.run(handler) or way.run(final) or way.behind(block)


def given_none(call: Any) -> tuple[str, list[Any]]:
    """What a function comes to where a call in it gives None; and the statements that only this way comes to."""
    up = call.parent
    if not _is_straight(call):
        return ENDS, []
    if isinstance(up, nodes.Return):
        return NONE, []
    if _needs_object(call, up):
        return FAILS, []
    if not isinstance(up, nodes.Assign) or up.value is not call:
        return ENDS, []
    target = up.targets[0]
    if isinstance(target, nodes.Tuple):
        return FAILS, []
    if len(up.targets) > 1 or not isinstance(target, nodes.AssignName):
        return ENDS, []
    way = Way({target.name: NONE}, _shared(call.frame()))
    return way.behind(up), way.taken


def _shared(frame: Any) -> set[str]:
    """The names of a function that it shares with others: those inside bind them, or it binds another's."""
    found = frame.nodes_of_class((nodes.Nonlocal, nodes.Global))
    return {name for statement in found for name in statement.names}


def _targets(statement: Any) -> Iterator[str]:
    """Every name that a statement, or a target, may bind."""
    kinds = (nodes.AssignName, nodes.Import, nodes.ImportFrom, nodes.FunctionDef, nodes.ClassDef)
    for node in statement.nodes_of_class(kinds):
        if isinstance(node, (nodes.Import, nodes.ImportFrom)):
            yield from (alias or name.partition(".")[0] for name, alias in node.names)
        else:
            yield node.name


def _is_straight(block: Any) -> bool:
    """False where what fails is caught again, and where a name may be bound in an earlier round."""
    up = block.parent
    while up is not None and not isinstance(up, FUNCTIONS):
        if isinstance(up, nodes.Try):
            return False
        up = up.parent
    return next(loops.around(block), None) is None


def _flat(statements: list[Any]) -> Iterator[Any]:
    """Statements, those of a `with` among them in its place."""
    for statement in statements:
        if isinstance(statement, nodes.With):
            yield from _flat(statement.body)
        else:
            yield statement


def _left(function: FunctionInfo, block: Any, stopped: list[Any]) -> _State:
    """What the names of a function are that statements bind or fill, where none of these has finished."""
    state: _State = {}
    params = {p.name for p in function.params}
    for statement in stopped:
        for name in _bound(statement):
            if name in function.declared_global | function.declared_nonlocal | params:
                continue
            before = [b for b in function.local_names.get(name, ()) if position(b) < position(block)]
            if not before:
                state[name] = _UNBOUND
            elif len(before) == 1 and _always(before[0], block):
                value = assigned(before[0])
                if isinstance(value, nodes.Const) and value.value is None:
                    state[name] = NONE
        for name in _filled(statement):
            bound = function.local_names.get(name, ())
            if len(bound) == 1 and _always(bound[0], block) and _is_empty(assigned(bound[0])):
                uses = [n for n in function.node.nodes_of_class(nodes.Name) if n.name == name]
                if not any(position(u) < position(stopped[0]) for u in uses):
                    state[name] = _EMPTY
    return state


def _bound(statement: Any) -> Iterator[str]:
    if isinstance(statement, (nodes.Assign, nodes.AnnAssign)):
        yield from (n.name for n in statement.nodes_of_class(nodes.AssignName, NESTED))


def _filled(statement: Any) -> Iterator[str]:
    """The names of what a statement puts an item into."""
    for target in getattr(statement, "targets", ()):
        if isinstance(target, nodes.Subscript) and isinstance(target.value, nodes.Name):
            yield target.value.name
    func = getattr(getattr(statement, "value", None), "func", None)
    if isinstance(statement, nodes.Expr) and isinstance(func, nodes.Attribute) and func.attrname in FILLS:
        if isinstance(func.expr, nodes.Name):
            yield func.expr.name


def _always(bound: Any, block: Any) -> bool:
    """True for a binding that always runs before a block: one of the statements of a block around it."""
    statement = bound.statement()
    return bool(statement.parent.parent_of(block)) and not isinstance(statement.parent, (nodes.For, nodes.While))


def _is_empty(value: Any) -> bool:
    if isinstance(value, (nodes.Dict, nodes.List)):
        return not (value.items if isinstance(value, nodes.Dict) else value.elts)
    called = isinstance(value, nodes.Call) and not value.args and not value.keywords
    return called and isinstance(value.func, nodes.Name) and value.func.name in ("dict", "list", "set")


def _later(child: Any) -> list[Any]:
    """The statements that run after one in its block."""
    for name in ("body", "orelse"):
        block = getattr(child.parent, name, None)
        if isinstance(block, list) and child in block:
            return block[block.index(child) + 1 :]
    return []


def _is_none(value: Any, state: _State) -> bool:
    if value is None or (isinstance(value, nodes.Const) and value.value is None):
        return True
    return isinstance(value, nodes.Name) and state.get(value.name) == NONE


def _outcome(test: Any, state: _State) -> bool | None:
    """How a test comes out for what is None or empty."""
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        inner = _outcome(test.operand, state)
        return None if inner is None else not inner
    if isinstance(test, nodes.Name):
        return False if state.get(test.name) in (NONE, _EMPTY) else None
    if isinstance(test, nodes.Compare) and len(test.ops) == 1 and isinstance(test.left, nodes.Name):
        op, right = test.ops[0]
        if isinstance(right, nodes.Const) and right.value is None and state.get(test.left.name) == NONE:
            return {"is": True, "==": True, "is not": False, "!=": False}.get(op)
    return None


def _breaks(expression: Any, state: _State) -> bool:
    """True for an expression that always reads what is not there."""
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, nodes.Lambda):
            continue
        if isinstance(node, nodes.Name):
            kind = state.get(node.name)
            if kind == _UNBOUND or (kind is not None and _NEEDS[kind](node, node.parent)):
                return True
        if isinstance(node, nodes.IfExp):
            stack.append(node.test)
        elif isinstance(node, nodes.BoolOp):
            stack.append(node.values[0])
        elif isinstance(node, nodes.ComprehensionScope):
            stack.append(node.generators[0].iter)
        else:
            stack.extend(node.get_children())
    return False


def _needs_object(node: Any, up: Any) -> bool:
    """True where None cannot stand."""
    if isinstance(up, nodes.Attribute):
        return not up.attrname.startswith("__")
    if isinstance(up, (nodes.Subscript, nodes.Call)):
        return node is (up.value if isinstance(up, nodes.Subscript) else up.func)
    return isinstance(up, (nodes.BinOp, nodes.Starred)) or (isinstance(up, nodes.UnaryOp) and up.op != "not")


def _needs_item(node: nodes.Name, up: Any) -> bool:
    """True where nothing empty can stand."""
    if isinstance(up, nodes.Subscript):
        return node is up.value and not isinstance(up.slice, nodes.Slice)
    return isinstance(up, nodes.Call) and up.args[:1] == [node] and last_name(up.func) in NEEDS_ONE


_NEEDS: Final[dict[str, Callable[[nodes.Name, Any], bool]]] = {NONE: _needs_object, _EMPTY: _needs_item}
