"""Statements that alter what a module computes: its parameters, mode, dtype, hooks, attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import identities
from flake8_tensorbranch.engine.checkpointing.behind import behind, iterated, named, owner
from flake8_tensorbranch.engine.checkpointing.keptgraph import is_parameter
from flake8_tensorbranch.engine.checkpointing.stores import Stored, stores, takings
from flake8_tensorbranch.engine.lattice import CONTAINER, MAPPING, OBJECT, TENSOR
from flake8_tensorbranch.engine.lookup import names
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.knowledge.modules import (
    CONTAINERS,
    FORWARD_HOOKS,
    FROM_VECTOR,
    INITIALIZERS,
    REPARAMETRIZES,
    REPLACES_MODULES,
    REWRITES_PARAMETERS,
)
from flake8_tensorbranch.knowledge.tensors import DTYPE_CASTS, MARKS_IN_PLACE
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted, last_name

_STATEMENTS: Final = (nodes.Expr, nodes.Assign, nodes.AugAssign, nodes.Delete)
_DEPTH: Final = 2


@dataclass(frozen=True, slots=True)
class Alteration:
    """One alteration: the statement, the module, optimizer or tensor altered, and what of it.

    `what`: ``parameters``, ``optimizer``, ``mode``, ``requires_grad``, ``dtype``, ``hook``, ``layers`` or
    ``attribute``; `mode` is ``train`` or ``eval``, `stored` what is stored on the target, `of` the object whose
    method alters it, `part` what of the target is altered where only one attribute is (`behind.named`).
    """

    node: nodes.NodeNG
    target: Expr
    what: str
    said: nodes.NodeNG
    mode: str = ""
    stored: Stored | None = None
    of: Expr | None = None
    part: str = ""


def alterations(origins: Origins, statement: Expr, depth: int = _DEPTH) -> Iterator[Alteration]:
    """What one statement alters, itself or in the functions of the project that it calls."""
    node = statement.node

    def made(target: Any, what: str, said: Any, mode: str = "") -> Alteration:
        held = Expr(statement.module, statement.scope, owner(target, statement.scope))
        return Alteration(node, held, what, said, mode, part=named(target, statement.scope))

    for stored in stores(node, NESTED):
        holder = Expr(statement.module, statement.scope, stored.holder)
        if isinstance(stored.said, nodes.Call) and origins.callees(replace(holder, node=stored.said)):
            continue
        if identities.adds_nothing(origins, replace(holder, node=stored.said)):
            continue
        if stored.key is not None and origins.value(replace(holder, node=_held(stored.said))).kinds & TENSOR:
            yield made(stored.holder, "parameters", stored.said)
        elif stored.name == "requires_grad":
            if not identities.holds_already(origins, holder, stored.value):
                yield made(stored.holder, "requires_grad", stored.said)
        elif stored.name == "data":
            if isinstance(node, nodes.AugAssign) or not identities.is_itself(stored.holder, stored.value):
                yield made(stored.holder, "parameters", stored.said)
        elif stored.name not in ("grad", "training"):
            refs = [r for r in origins.value(holder).each if isinstance(r, Instance)]
            if any(isinstance(r.cls, ClassInfo) for r in refs):
                yield Alteration(node, holder, "attribute", stored.said, stored=stored)
            elif any(str(r.cls).startswith("torch.nn.") for r in refs) and not identities.describes(stored):
                yield made(stored.holder, "layers", stored.said)
    for item in _items(node):
        if origins.value(Expr(statement.module, statement.scope, item)).kinds & TENSOR:
            yield made(item, "parameters", node.targets[0] if isinstance(node, nodes.Assign) else node.target)
    for taken in takings(node, partial(behind, statement.scope), NESTED):
        holder = Expr(statement.module, statement.scope, taken.holder)
        if identities.adds_nothing(origins, replace(holder, node=taken.said)):
            continue
        if _takes(origins, holder, taken):
            yield Alteration(node, holder, "attribute", taken.said, stored=taken)
    for call in node.nodes_of_class(nodes.Call, NESTED):
        yield from _called(origins, statement, call, made)
        if depth > 0:
            yield from _in_callees(origins, Expr(statement.module, statement.scope, call), node, depth)


def _items(statement: Any) -> Iterator[nodes.Name]:
    """The local names whose elements a statement sets: `t[0] = 1`."""
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    for target in targets if isinstance(statement, (nodes.Assign, nodes.AugAssign)) else ():
        held = _held(target)
        if held is not target and isinstance(held, nodes.Name):
            yield held


def _takes(origins: Origins, holder: Expr, taken: Stored) -> bool:
    """True where an object of the project's classes loses an attribute, or one that holds others is changed."""
    if not any(isinstance(r, Instance) and isinstance(r.cls, ClassInfo) for r in origins.value(holder).refs):
        return False
    if not isinstance(taken.said, nodes.Call) or taken.key is None:
        return taken.name != "grad"
    value = origins.value(replace(holder, node=taken.value))
    return not origins.callees(replace(holder, node=taken.said)) and (
        any(isinstance(r, Instance) and r.cls in CONTAINERS for r in value.refs)
        or (bool(value.kinds & (CONTAINER | MAPPING)) and not value.kinds & TENSOR)
    )


def _called(origins: Origins, statement: Expr, call: nodes.Call, made: Any) -> Iterator[Alteration]:
    func = call.func
    target = _by_function(origins, Expr(statement.module, statement.scope, call))
    if target is not None:
        yield from (made(each, "parameters", call) for each in _modules(target))
    if target is not None or not isinstance(func, nodes.Attribute):
        return
    name, owner = func.attrname, func.expr
    value = origins.value(Expr(statement.module, statement.scope, owner))
    tensor = bool(value.kinds & TENSOR)
    if origins.callees(Expr(statement.module, statement.scope, call)):
        return
    if name == "step" and not tensor:
        yield made(owner, "optimizer", call)
    elif name in ("eval", "train") and not tensor:
        off = bool(call.args) and isinstance(call.args[0], nodes.Const) and call.args[0].value is False
        yield made(owner, "mode", call, "eval" if name == "eval" or off else "train")
    elif name == "requires_grad_":
        if not identities.holds_already(origins, Expr(statement.module, statement.scope, owner), _asked(call)):
            yield made(owner, "requires_grad", call)
    elif name == "detach_":
        if is_parameter(origins, Expr(statement.module, statement.scope, owner)):
            yield made(owner, "requires_grad", call)
    elif name in REPLACES_MODULES and not tensor:
        yield made(owner, "layers", call)
    elif name == "load_state_dict" or (name in REWRITES_PARAMETERS and not tensor):
        if not _loads_its_own(call):
            yield made(owner, "parameters", call)
    elif name == "apply" and not tensor and call.args:
        over = Expr(statement.module, statement.scope, call.args[0])
        if any(_writes_argument(origins, function) for function, _ in origins.functions(over)):
            yield made(owner, "parameters", call)
    elif (
        isinstance(call.parent, nodes.Expr)
        and not tensor
        and (name in DTYPE_CASTS or (name in ("to", "type") and _names_dtype(call)))
    ):
        if not identities.is_that_type(Expr(statement.module, statement.scope, call)):
            yield made(owner, "dtype", call)
    elif name in FORWARD_HOOKS and _changes_output(
        origins, Expr(statement.module, statement.scope, call.args[0] if call.args else None)
    ):
        yield made(owner, "hook", call)
    elif name == "remove":
        for origin in origins.of(Expr(statement.module, statement.scope, owner)):
            hook = origin.node
            if not (isinstance(hook, nodes.Call) and isinstance(hook.func, nodes.Attribute) and hook.args):
                continue
            at = Expr(origin.module, origin.scope, hook.args[0])
            if hook.func.attrname in FORWARD_HOOKS and _changes_output(origins, at):
                yield replace(made(hook.func.expr, "hook", call), target=replace(at, node=hook.func.expr))
    elif name.startswith("_foreach_") and name.endswith("_") and call.args:
        listed = iterated(call.args[0])
        if listed is not None:
            yield made(listed, "parameters", call)
    elif name.endswith("_") and not name.endswith("__") and name not in MARKS_IN_PLACE:
        row = tensor_row(name)
        if (
            row is not None
            and "inplace" in row.effects
            and not value.must(CONTAINER)
            and not value.must(OBJECT)
            and not _is_gradient(owner)
            and not (name == "copy_" and identities.is_itself(owner, _given(call, 0, "src")))
        ):
            yield made(owner, "parameters", call)


def _by_function(origins: Origins, call: Expr) -> nodes.NodeNG | None:
    """The tensor, or the module whose parameters, a function of torch writes in place; None for any other call."""
    for name in origins.externals(call):
        if name.startswith(INITIALIZERS) and name.endswith("_"):
            given = _given(call.node, 0, "tensor")
            return None if given is None or _is_gradient(given) else given
        if name in REPARAMETRIZES:
            if name.endswith("register_parametrization") and identities.is_identity(origins, call):
                return None
            return _given(call.node, 0, "parameters" if name.endswith("global_unstructured") else "module")
        if name in FROM_VECTOR:
            given = _given(call.node, 1, "parameters")
            return None if given is None else iterated(given)
    out = next((k.value for k in call.node.keywords if k.arg == "out"), None)
    if out is None or _is_gradient(out) or not origins.value(replace(call, node=out)).kinds & TENSOR:
        return None
    found: nodes.NodeNG = out
    return found


def _modules(target: nodes.NodeNG) -> list[nodes.NodeNG]:
    """The modules of a list of pairs (module, name); the expression itself where it is none."""
    if not isinstance(target, (nodes.List, nodes.Tuple)):
        return [target]
    pairs: list[Any] = [pair for pair in target.elts if isinstance(pair, nodes.Tuple)]
    return [pair.elts[0] for pair in pairs if pair.elts]


def _asked(call: nodes.Call) -> nodes.NodeNG | None:
    return call.args[0] if call.args else next((k.value for k in call.keywords), None)


def _loads_its_own(call: nodes.Call) -> bool:
    """True for `net.load_state_dict(net.state_dict())`."""
    given, func = _given(call, 0, "state_dict"), call.func
    source = given.func if isinstance(given, nodes.Call) else None
    if not isinstance(source, nodes.Attribute) or source.attrname != "state_dict":
        return False
    path = dotted(source.expr)
    return path is not None and isinstance(func, nodes.Attribute) and path == dotted(func.expr)


def _given(call: nodes.Call, position: int, name: str) -> nodes.NodeNG | None:
    by_name = (k.value for k in call.keywords if k.arg == name)
    return call.args[position] if position < len(call.args) else next(by_name, None)


def _writes_argument(origins: Origins, function: FunctionInfo) -> bool:
    """True for a function that writes parameters of the module it is handed."""
    first = function.params[0].name if function.params else ""
    return any(
        a.what == "parameters" and any(n.name == first for n in a.target.node.nodes_of_class(nodes.Name))
        for a in _altered(origins, function, 0)
    )


def _held(target: Any) -> nodes.NodeNG:
    """What an item is set in."""
    while isinstance(target, nodes.Subscript):
        target = target.value
    found: nodes.NodeNG = target
    return found


def _is_gradient(node: Any) -> bool:
    return any(isinstance(n, nodes.Attribute) and n.attrname == "grad" for n in node.nodes_of_class(nodes.Attribute))


def _names_dtype(call: nodes.Call) -> bool:
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "dtype")]
    words = ("float16", "float32", "float64", "bfloat16", "half", "double", "dtype")
    return any(isinstance(a, nodes.Attribute) and a.attrname in words for a in given)


def _changes_output(origins: Origins, hook: Expr) -> bool:
    """True for a hook that returns something: what only looks changes nothing."""
    if hook.node is None:
        return False
    for function, _ in origins.functions(hook):
        if function.is_lambda:
            body = function.node.body
            return isinstance(body, (nodes.BinOp, nodes.Tuple, nodes.IfExp)) or (
                isinstance(body, nodes.Call)
                and last_name(body.func) not in ("append", "update", "add", "setdefault", "print")
            )
        if any(r.value is not None for r in function.returns_nodes):
            return True
    return False


def _in_callees(origins: Origins, call: Expr, at: nodes.NodeNG, depth: int) -> Iterator[Alteration]:
    """What a function of the project alters of its object or arguments, told of what the call gives for them."""
    for callee in origins.callees(call):
        if callee.name in ("__init__", "forward", "__call__"):
            continue
        found = [
            (inner, target)
            for inner in _altered(origins, callee, depth - 1)
            if (target := _translated(origins, call, callee, inner.target)) is not None
        ]
        for inner, target in found:
            if not is_undone(inner, (other for other, _ in found)):
                func = call.node.func
                own = func.expr if callee.takes_self and isinstance(func, nodes.Attribute) else None
                yield replace(
                    inner, node=at, target=target, said=call.node, of=None if own is None else replace(call, node=own)
                )


def _altered(origins: Origins, callee: FunctionInfo, depth: int) -> list[Alteration]:
    """What a function alters, whoever calls it."""
    key = ("altered", callee, depth)
    if key not in origins.memo:
        origins.memo[key] = [
            inner
            for statement in callee.node.nodes_of_class(_STATEMENTS, NESTED)
            for inner in alterations(origins, Expr(callee.module, callee, statement), depth)
            if inner.what != "attribute" or _is_setter(callee, inner)
        ]
    return cast("list[Alteration]", origins.memo[key])


def is_undone(change: Alteration, others: Iterable[Alteration]) -> bool:
    """True for a change of mode that a later one of the same object takes back: the last one says what holds."""
    path = dotted(change.target.node)
    return change.what == "mode" and any(
        other.what == "mode" and dotted(other.target.node) == path and line(other.said) > line(change.said)
        for other in others
    )


def _is_setter(callee: FunctionInfo, inner: Alteration) -> bool:
    """True for a method that stores a parameter of its own as it is, by any spelling (`self.active = name`), and for
    one that always sets, steps or takes something that asks for nothing (`self.active = False`, `self.scale *= 0.9`).
    """
    stored = inner.stored
    if stored is None or not callee.takes_self:
        return False
    value = None if stored.key is not None and isinstance(stored.said, nodes.Call) else stored.value
    if isinstance(value, nodes.Name):
        return any(p.name == value.name for p in callee.params[1:])
    return inner.node.parent is callee.node and (value is None or not _asks(value))


def _asks(value: nodes.NodeNG) -> bool:
    """True for a value that is computed from variables."""
    called = [c.func for c in value.nodes_of_class(nodes.Call)]
    names = (n for n in value.nodes_of_class(nodes.Name, NESTED) if not any(f is n or f.parent_of(n) for f in called))
    return next(names, None) is not None


def _translated(origins: Origins, call: Expr, callee: FunctionInfo, target: Expr) -> Expr | None:
    node = target.node
    while isinstance(node, (nodes.Attribute, nodes.AssignAttr, nodes.Subscript)):
        node = node.value if isinstance(node, nodes.Subscript) else node.expr
    if not isinstance(node, nodes.Name):
        return None
    if callee.takes_self and node.name == callee.params[0].name:
        return target  # by its class
    if not any(p.name == node.name for p in callee.params):
        return target if callee.module is call.module and names.owner(callee, node.name) is None else None  # a global
    given = origins.argument(call, callee, node.name)
    return None if given is None else Expr(given.module, given.scope, owner(given.node, given.scope))
