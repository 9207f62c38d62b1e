"""Statements that alter what a module computes: its parameters, mode, dtype, hooks, attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import identities
from flake8_tensorbranch.engine.checkpointing.stores import Stored, stores, takings
from flake8_tensorbranch.engine.lattice import CONTAINER, MAPPING, OBJECT, TENSOR
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.knowledge.modules import (
    CONTAINERS,
    FORWARD_HOOKS,
    FROM_VECTOR,
    INITIALIZERS,
    ITERATES_MODULES,
    ITERATES_TENSORS,
    REPARAMETRIZES,
    REPLACES_MODULES,
    REWRITES_PARAMETERS,
)
from flake8_tensorbranch.knowledge.tensors import DTYPE_CASTS, MARKS_IN_PLACE
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted, last_name

_ITERATES: Final = ITERATES_TENSORS | ITERATES_MODULES | {"state_dict"}
_STATEMENTS: Final = (nodes.Expr, nodes.Assign, nodes.AugAssign, nodes.Delete)
_DEPTH: Final = 2


@dataclass(frozen=True, slots=True)
class Alteration:
    """One alteration: the statement, the module, optimizer or tensor altered, and what of it.

    `what`: ``parameters``, ``optimizer``, ``mode``, ``requires_grad``, ``dtype``, ``hook``, ``layers`` or
    ``attribute``; `mode` is ``train`` or ``eval``, `stored` what is stored on the target, `of` the object whose
    method alters it.
    """

    node: nodes.NodeNG
    target: Expr
    what: str
    said: nodes.NodeNG
    mode: str = ""
    stored: Stored | None = None
    of: Expr | None = None


def alterations(origins: Origins, statement: Expr, depth: int = _DEPTH) -> Iterator[Alteration]:
    """What one statement alters, itself or in the functions of the project that it calls."""
    node = statement.node

    def made(target: Any, what: str, said: Any, mode: str = "") -> Alteration:
        return Alteration(
            node, Expr(statement.module, statement.scope, owner(target, statement.scope)), what, said, mode
        )

    for stored in stores(node, NESTED):
        holder = Expr(statement.module, statement.scope, stored.holder)
        if isinstance(stored.said, nodes.Call) and origins.callees(replace(holder, node=stored.said)):
            continue
        if stored.key is not None and origins.value(replace(holder, node=_held(stored.said))).kinds & TENSOR:
            yield made(stored.holder, "parameters", stored.said)
        elif stored.name == "requires_grad":
            yield made(stored.holder, "requires_grad", stored.said)
        elif stored.name == "data":
            yield made(stored.holder, "parameters", stored.said)
        elif stored.name not in ("grad", "training"):
            refs = [r for r in origins.value(holder).each if isinstance(r, Instance)]
            if any(isinstance(r.cls, ClassInfo) for r in refs):
                yield Alteration(node, holder, "attribute", stored.said, stored=stored)
            elif any(str(r.cls).startswith("torch.nn.") for r in refs) and not identities.describes(stored):
                yield made(stored.holder, "layers", stored.said)
    for taken in takings(node, partial(_behind, statement.scope), NESTED):
        holder = Expr(statement.module, statement.scope, taken.holder)
        if _takes(origins, holder, taken):
            yield Alteration(node, holder, "attribute", taken.said, stored=taken)
    for call in node.nodes_of_class(nodes.Call, NESTED):
        yield from _called(origins, statement, call, made)
        if depth > 0:
            yield from _in_callees(origins, Expr(statement.module, statement.scope, call), node, depth)


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
        if tensor or not identities.holds_already(Expr(statement.module, statement.scope, call)):
            yield made(owner, "requires_grad", call)
    elif name in REPLACES_MODULES and not tensor:
        yield made(owner, "layers", call)
    elif name == "load_state_dict" or (name in REWRITES_PARAMETERS and not tensor):
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
        holder = _holder(call.args[0])
        if holder is not None:
            yield made(holder, "parameters", call)
    elif name.endswith("_") and not name.endswith("__") and name not in MARKS_IN_PLACE:
        row = tensor_row(name)
        if (
            row is not None
            and "inplace" in row.effects
            and not value.must(CONTAINER)
            and not value.must(OBJECT)
            and not _is_gradient(owner)
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
            return None if given is None else _holder(given)
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


def _behind(scope: FunctionInfo | None, node: Any) -> Any:
    """What a local stands for that is bound once, to an attribute or an element; the node itself for all else."""
    value = once(scope.local_names, node.name) if scope is not None and isinstance(node, nodes.Name) else None
    return value if isinstance(value, (nodes.Attribute, nodes.Subscript)) else node


def owner(node: Any, scope: FunctionInfo | None = None) -> Any:
    """The module or tensor behind a parameter: through `.data`, loops over `parameters()`, and elements."""
    while True:
        if isinstance(node, (nodes.Attribute, nodes.AssignAttr)) and node.attrname in ("data", "weight", "bias"):
            node = node.expr
        elif isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute):
            node = node.func.expr
        elif isinstance(node, nodes.Subscript):
            node = node.value
        elif isinstance(node, nodes.Name):
            looped = _looped(node) or _behind(scope, node)
            if looped is node:
                return node
            node = looped
        else:
            return node


def _looped(name: nodes.Name) -> nodes.NodeNG | None:
    """What a loop variable runs over, where that is the parameters of a module; None for any other name."""
    up = name.parent
    while up is not None and not isinstance(up, (*NESTED, nodes.Module)):
        loops = [up] if isinstance(up, nodes.For) else getattr(up, "generators", ())
        for loop in loops:
            if any(n.name == name.name for n in loop.target.nodes_of_class(nodes.AssignName)):
                return _holder(_source(loop.target, loop.iter, name.name))
        up = up.parent
    return None


def _source(target: Any, iterable: Any, name: str) -> Any:
    """The expression whose elements a name of a loop's target gets: its own of those that `zip` goes through."""
    called = dotted(iterable.func) if isinstance(iterable, nodes.Call) else ""
    if isinstance(target, nodes.Tuple) and called in ("zip", "enumerate"):
        for position, part in enumerate(target.elts):
            if any(n.name == name for n in part.nodes_of_class(nodes.AssignName)):
                at = position if called == "zip" else position - 1
                return _source(part, iterable.args[at], name) if 0 <= at < len(iterable.args) else iterable
    return iterable


def _holder(source: Any) -> nodes.NodeNG | None:
    """The module whose parameters or modules an expression goes over; None for anything else."""
    for call in source.nodes_of_class(nodes.Call):
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname in _ITERATES:
            found: nodes.NodeNG = func.expr
            return found
    return source if isinstance(source, nodes.Attribute) else None


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
    one that always sets or takes something that asks for nothing (`self.active = False`).
    """
    stored = inner.stored
    if stored is None or not callee.takes_self or isinstance(inner.node, nodes.AugAssign):
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
        return None
    given = origins.argument(call, callee, node.name)
    return None if given is None else Expr(given.module, given.scope, owner(given.node, given.scope))
