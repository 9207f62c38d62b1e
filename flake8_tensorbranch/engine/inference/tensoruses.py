"""What a function does with its parameters, itself or by handing them on, that it can do with tensors only."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import annotations as types
from flake8_tensorbranch.engine.inference.resolve import Variable
from flake8_tensorbranch.engine.lattice import (
    CONTAINER,
    TENSOR,
    TENSOR_VALUE,
    UNKNOWN_KIND,
    AbstractValue,
    make,
)
from flake8_tensorbranch.knowledge.evidence import (
    MOVING_METHODS,
    TENSOR_ATTRIBUTES,
    likely_tensor_method,
    names_arrays,
)
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.knowledge.modules import CONTAINERS
from flake8_tensorbranch.knowledge.names import TENSOR_ONLY_METHODS
from flake8_tensorbranch.syntax.names import FunctionInfo, last_name

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

_LIKELY: Final = make(TENSOR | UNKNOWN_KIND)
_ITEMS: Final = make(CONTAINER | UNKNOWN_KIND, elem=_LIKELY)  # a tensor, or a list of tensors
HOPS: Final = 2  # how many calls evidence comes back through
_LEAVES: Final = frozenset({nodes.Name, nodes.Const})
_NESTED: Final = frozenset({nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.ClassDef, nodes.Lambda})


def evidence(
    analysis: Analysis, function: FunctionInfo, wanted: set[str], hops: int = HOPS
) -> dict[str, AbstractValue]:
    """The parameters that the body uses as only a tensor (or likely a tensor) can be used, itself or in functions that
    it hands them to, before it binds them to something else.
    """
    found: dict[str, AbstractValue] = {}
    rebound: dict[str, int] = {}
    guarded: set[str] = set()
    candidates: list[tuple[str, int]] = []
    likely: list[tuple[str, int]] = []
    items: list[tuple[str, int]] = []
    plain = not names_arrays(function.module)
    hands = bool(hops and (function.tests or hops < HOPS))
    body: Any = function.node.body
    stack: list[Any] = list(body) if isinstance(body, list) else [body]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind in _LEAVES or kind in _NESTED:
            continue
        # The commonest first, and their children without the generators of `get_children`.
        if kind is nodes.Attribute:
            if type(node.expr) is nodes.Name and node.expr.name in wanted:
                if _is_tensor_use(node):
                    candidates.append((node.expr.name, node.lineno or 0))
                elif _is_likely_use(function, node) or (plain and node.attrname == "ndim"):
                    likely.append((node.expr.name, node.lineno or 0))
            elif type(node.expr) is nodes.Subscript and (name := _item_of(function, node.expr, wanted)) is not None:
                if _is_tensor_use(node) or _is_likely_use(function, node):
                    items.append((name, node.lineno or 0))
            stack.append(node.expr)
            continue
        if kind is nodes.Call:
            stack.append(node.func)
            stack += node.args
            stack += node.keywords
            # Most calls are given none of them: told without a call of ours.
            for argument in node.args:
                if type(argument) is nodes.Subscript:
                    argument = argument.value
                if type(argument) is nodes.Name and argument.name in wanted:
                    break
            else:
                for argument in node.keywords:
                    if type(argument.value) is nodes.Name and argument.value.name in wanted:
                        break
                else:
                    continue
            target = _call_evidence(analysis, function, node, wanted, candidates, guarded)
            if hands and type(target) is str:
                target = analysis.resolver.method(function.cls, target) if function.cls is not None else None
            if hands and type(target) is FunctionInfo:
                line = node.lineno or 0
                for name, is_item in _handed(analysis, function, target, node, wanted, hops - 1):
                    (items if is_item else likely).append((name, line))
            continue
        if kind is nodes.AssignName:
            if node.name in wanted and (node.lineno or 0) < rebound.get(node.name, 1 << 30):
                update = node.parent  # only what was a tensor is one after `x += 1`
                if type(update) is not nodes.AugAssign or type(update.value) is not nodes.Const:
                    rebound[node.name] = node.lineno or 0
            continue
        if kind is nodes.Subscript:
            if type(node.value) is nodes.Name and node.value.name in wanted and _tensor_index(node.slice, plain):
                candidates.append((node.value.name, node.lineno or 0))
        elif kind is nodes.BinOp and node.op == "@":
            for side in (node.left, node.right):
                if type(side) is nodes.Name and side.name in wanted:
                    candidates.append((side.name, node.lineno or 0))
        stack.extend(node.get_children())
    for name, line in candidates:
        if name not in guarded and line <= rebound.get(name, 1 << 30):
            found[name] = TENSOR_VALUE
    for name, line in likely:
        if name not in guarded and name not in found and line <= rebound.get(name, 1 << 30):
            found[name] = _LIKELY
    for name, line in items:
        if name not in guarded and name not in found and line <= rebound.get(name, 1 << 30):
            found[name] = _ITEMS
    return found


def _item_of(function: FunctionInfo, node: nodes.NodeNG, wanted: set[str]) -> str | None:
    """The parameter of which an expression is an item by a count: `xs[i + 1]`, `xs[0]`."""
    if type(node) is not nodes.Subscript or type(node.value) is not nodes.Name or node.value.name not in wanted:
        return None
    index = node.slice
    if type(index) is nodes.BinOp:
        index = index.right
    elif type(index) is nodes.UnaryOp:
        index = index.operand
    elif type(index) is nodes.Name:
        return node.value.name if index.name in _counters(function) else None
    return node.value.name if type(index) is nodes.Const and type(index.value) is int else None


def _counters(function: FunctionInfo) -> Set[str]:
    """The names that loops over `range`, or another's like it, count with."""
    memo, key = function.module.memo, ("counters", function)
    if key not in memo:
        memo[key] = {
            loop.target.name
            for loop in function.node.nodes_of_class(nodes.For)
            if isinstance(loop.target, nodes.AssignName)
            and last_name(getattr(loop.iter, "func", None)).endswith("range")
        }
    return cast("Set[str]", memo[key])


def _handed(
    analysis: Analysis, function: FunctionInfo, target: FunctionInfo, node: nodes.Call, wanted: set[str], hops: int
) -> Iterator[tuple[str, bool]]:
    """The parameters, or items of them (True), that a call hands to a function which takes only a tensor there."""
    bound = target.is_classmethod or (target.takes_self and _is_own(function, node.func))
    slots = target.slots[1:] if bound else target.slots
    given = [(a, slot.name) for a, slot in zip(node.args, slots, strict=False)]
    given += [(k.value, k.arg) for k in node.keywords if k.arg is not None]
    for argument, slot in given:
        direct = argument.name if type(argument) is nodes.Name and argument.name in wanted else None
        name = _item_of(function, argument, wanted) if direct is None else direct
        if name is not None and slot in _takers(analysis, target, hops):
            yield name, direct is None


def _is_own(function: FunctionInfo, func: nodes.NodeNG) -> bool:
    """True for `self.method`."""
    return isinstance(func, nodes.Attribute) and getattr(func.expr, "name", None) == function.params[0].name


def _takers(analysis: Analysis, function: FunctionInfo, hops: int) -> Set[str]:
    """The parameters for which a function takes only tensors, by its declarations and by what it does with them."""
    memo, key = function.module.memo, ("takers", function, hops)
    if key not in memo:
        bare = {p.name for p in function.params if p.annotation is None and p.default is None}
        told = evidence(analysis, function, bare, hops) if bare else {}
        found = {name for name, value in told.items() if value.kinds & TENSOR}
        for param in function.params:
            if param.annotation is not None and param.default is None:
                said = types.value(analysis, function.module, param.annotation, function)
                if said is not None and said.kinds == TENSOR:
                    found.add(param.name)
        memo[key] = found
    return cast("Set[str]", memo[key])


def _is_likely_use(function: FunctionInfo, node: nodes.Attribute) -> bool:
    """A call of a method that in this file only a tensor is likely to have."""
    if not (isinstance(node.parent, nodes.Call) and node.parent.func is node) or node.attrname in MOVING_METHODS:
        return False
    return likely_tensor_method(function.module, node.attrname)


def _is_tensor_use(node: nodes.Attribute) -> bool:
    call = node.parent
    if isinstance(call, nodes.Call) and call.func is node:
        return node.attrname in TENSOR_ONLY_METHODS or (node.attrname in ("size", "dim") and not call.keywords)
    return node.attrname in TENSOR_ATTRIBUTES


def _tensor_index(index: nodes.NodeNG, plain: bool) -> bool:
    """True for `x[..., 0]` and `x[None, :]`, where no array library is named (`plain`) also for `x[:, 0]`."""
    if not isinstance(index, nodes.Tuple) or len(index.elts) < 2:
        return False
    if any(isinstance(p, nodes.Const) and (p.value is None or p.value is Ellipsis) for p in index.elts):
        return True
    return plain and any(isinstance(p, nodes.Slice) for p in index.elts)


def _call_evidence(
    analysis: Analysis,
    function: FunctionInfo,
    node: nodes.Call,
    wanted: set[str],
    candidates: list[tuple[str, int]],
    guarded: set[str],
) -> object:
    """Note what a call tells of parameters that it is given. What it calls, where that is of the project: a function,
    or the name of a method of the object's own.
    """
    named = [(i, a.name) for i, a in enumerate(node.args) if type(a) is nodes.Name and a.name in wanted]
    keywords = [(k.arg, k.value.name) for k in node.keywords if type(k.value) is nodes.Name and k.value.name in wanted]
    func, line = node.func, node.lineno or 0
    if isinstance(func, nodes.Name) and func.name in ("isinstance", "callable", "is_tensor", "len"):
        if func.name != "len":
            guarded.update(n for _, n in named)
        return None
    if isinstance(func, nodes.Attribute) and func.attrname == "is_tensor":
        guarded.update(n for _, n in named)
        return None
    target = analysis.resolver.expression(function.module, func, function)
    if isinstance(target, str) and target.startswith("torch."):
        if target.startswith("torch.nn.") and target.rsplit(".", 1)[-1][:1].isupper():
            return None  # the rows of module classes speak of calling their instances
        row = lookup(target, len(node.args), [k.arg for k in node.keywords if k.arg])
        if row is not None:
            for position, name in row.demands:
                candidates.extend((n, line) for i, n in named if i == position)
                candidates.extend((n, line) for k, n in keywords if k == name)
        return None
    if isinstance(func, nodes.Attribute) and function.cls is not None and _is_own(function, func):
        if is_layer(analysis, function, func.attrname):
            candidates.extend((n, line) for i, n in named if i == 0)
        else:
            return func.attrname
    if type(target) is Variable:
        if named and named[0][0] == 0 and _is_global_layer(analysis, target):
            candidates.append((named[0][1], line))
        return None
    if target is None and type(func) is nodes.Name:
        return next((f for f in function.nested if f.is_lambda and _is_bound(f, func.name)), None)
    return target


def _is_bound(function: FunctionInfo, name: str) -> bool:
    """Whether a lambda is what a name is assigned."""
    up = function.node.parent
    return isinstance(up, nodes.Assign) and any(isinstance(t, nodes.AssignName) and t.name == name for t in up.targets)


def _is_global_layer(analysis: Analysis, variable: Variable) -> bool:
    """True for a name that a module plainly assigns a layer of torch.nn, and nothing else."""
    values = [getattr(b.statement, "value", None) for b in variable.module.bindings.get(variable.name, ())]
    return bool(values) and all(
        isinstance(v, nodes.Call) and _makes_layer(analysis.resolver.expression(variable.module, v.func))
        for v in values
    )


def is_layer(analysis: Analysis, function: FunctionInfo, attribute: str) -> bool:
    """True when `self.<attribute>` is plainly assigned a layer of torch.nn somewhere in the class."""
    cls = function.cls
    for writer in cls.stores.get(attribute, ()) if cls is not None else ():
        for store in writer.attribute_stores:
            if store.attrname != attribute or not isinstance(store.parent, nodes.Assign):
                continue
            source = store.parent.value
            if isinstance(source, nodes.Call):
                target = analysis.resolver.expression(writer.module, source.func, writer)
                if _makes_layer(target):
                    return True
    return False


def _makes_layer(target: object) -> bool:
    """True for a class of torch.nn whose instances are called with a tensor."""
    named = isinstance(target, str) and target.startswith("torch.nn.") and target not in CONTAINERS
    return named and str(target).rsplit(".", 1)[-1][:1].isupper()


def reckoned(function: FunctionInfo) -> set[str]:
    """The names that a function adds, subtracts, multiplies or divides: no model and no generator, which have a device
    as well.
    """
    memo, key = function.module.memo, ("reckoned", function)
    if key not in memo:
        sums = (n for n in function.node.nodes_of_class(nodes.BinOp) if n.op in ("+", "-", "*", "/", "**", "@"))
        memo[key] = {o.name for n in sums for o in (n.left, n.right) if isinstance(o, nodes.Name)}
    return cast("set[str]", memo[key])
