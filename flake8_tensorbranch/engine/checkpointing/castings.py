"""What a new tensor is made into at once: where it is cast or moved, no default decides its type or its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.lattice import CONTAINER, HOST_VALUE, SHAPE, TENSOR, UNKNOWN, AbstractValue
from flake8_tensorbranch.knowledge.operations import EXACT_FACTORIES, WHOLE_OF_WHOLE
from flake8_tensorbranch.knowledge.tensors import DTYPE_CASTS, DTYPES, INTEGER_CASTS
from flake8_tensorbranch.syntax.names import FunctionInfo, last_name


def told(function: FunctionInfo, values: dict[nodes.NodeNG, AbstractValue], call: nodes.Call) -> set[str]:
    """Which of `dtype` and `device` a factory's call leaves to no default, as the source around it tells."""
    found = {str(k.arg) for k in call.keywords if k.arg in ("dtype", "device") and _is_told(k.value)}
    name = last_name(call.func)
    if name in WHOLE_OF_WHOLE and call.args and all(_is_whole(values, a) for a in call.args[-1:] + call.args[:1]):
        found.add("dtype")
    if name in EXACT_FACTORIES:
        uses = [_cast(function, values, use) for use in _uses(function, call)]
        found |= set.intersection(*uses) if uses else set()
    return found


def settled(
    function: FunctionInfo, values: dict[nodes.NodeNG, AbstractValue], call: nodes.Call, args: Arguments
) -> Arguments:
    """The arguments of a factory's call, with those that need no default as if they were given."""
    more = dict.fromkeys(sorted(told(function, values, call)), HOST_VALUE)
    given = {**args.keywords, **more} if more else args.keywords
    return Arguments(args.positional, args.star, given, args.double_star)


def _is_told(node: nodes.NodeNG) -> bool:
    """True for `x.dtype`, `x.device`, and a type by its name."""
    return isinstance(node, nodes.Attribute) and node.attrname in DTYPES | {"dtype", "device"}


def _is_whole(values: dict[nodes.NodeNG, AbstractValue], node: Any) -> bool:
    """True for whole numbers, sizes, and lists of them."""
    if isinstance(node, (nodes.List, nodes.Tuple)):
        return bool(node.elts) and all(_is_whole(values, e) for e in node.elts)
    if isinstance(node, nodes.UnaryOp):
        return _is_whole(values, node.operand)
    if isinstance(node, nodes.Const):
        return isinstance(node.value, int)
    value = values.get(node, UNKNOWN)
    return value.deps == SHAPE and not value.kinds & CONTAINER and not _divides(node)


def _divides(node: nodes.NodeNG) -> bool:
    return any(b.op == "/" for b in node.nodes_of_class(nodes.BinOp)) or isinstance(node, nodes.Call)


def _uses(function: FunctionInfo, call: nodes.Call) -> Iterator[Any]:
    """Where a new tensor is used first: at once, or under the name that it gets until that gets another."""
    up = call.parent
    if not isinstance(up, nodes.Assign) or len(up.targets) != 1 or not isinstance(up.targets[0], nodes.AssignName):
        yield call
        return
    name = up.targets[0].name
    again = [b.lineno or 0 for b in function.local_names.get(name, ()) if isinstance(b, nodes.AssignName)]
    until = min((n for n in again if n > (call.lineno or 0)), default=1 << 30)
    for read in function.node.nodes_of_class(nodes.Name):
        if read.name == name and (call.lineno or 0) < (read.lineno or 0) <= until:
            yield read


def _cast(function: FunctionInfo, values: dict[nodes.NodeNG, AbstractValue], use: Any) -> set[str]:
    """What a method called on a tensor decides of the result."""
    method = use.parent if isinstance(use.parent, nodes.Attribute) and use.parent.expr is use else None
    call = method.parent if method is not None else None
    if not isinstance(call, nodes.Call) or method is None or call.func is not method:
        return set()
    name = method.attrname
    if name in DTYPE_CASTS | INTEGER_CASTS:
        return {"dtype"}
    if name in ("cuda", "cpu"):
        return {"device"}
    if name == "type_as":
        return {"dtype", "device"}
    if name not in ("to", "type"):
        return set()
    found: set[str] = set()
    for given in [*call.args, *(k.value for k in call.keywords)]:
        if isinstance(given, nodes.Attribute) and given.attrname in DTYPES | {"dtype"}:
            found.add("dtype")
        elif isinstance(given, nodes.Attribute) and given.attrname == "device":
            found.add("device")
        elif isinstance(given, nodes.Name) and name == "to" and len(call.args) == 1:
            found |= {"dtype", "device"} if _is_tensor(function, values, given) else set()
    return found


def _is_tensor(function: FunctionInfo, values: dict[nodes.NodeNG, AbstractValue], name: nodes.Name) -> bool:
    """True for a tensor, and for the first parameter beside the object: the tensor that a region is given."""
    if values.get(name, UNKNOWN).must(TENSOR):
        return True
    first = int(function.takes_self or function.is_classmethod)
    return name.scope() is function.node and name.name in [p.name for p in function.params[first : first + 1]]
