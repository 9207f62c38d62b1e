"""Sizes that values decide inside a checkpointed region, and the routing that such a size comes from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.handed import Handed
from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.checkpointing.locate import placed, site, skipped
from flake8_tensorbranch.engine.checkpointing.uses import unpacked
from flake8_tensorbranch.engine.inference.arguments import passed
from flake8_tensorbranch.engine.lattice import (
    CONTAINER,
    DATA,
    HOST,
    MASK,
    TENSOR,
    UNKNOWN,
    AbstractValue,
    element,
)
from flake8_tensorbranch.engine.lookup.loops import inside
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.engine.regions.trace import spelled
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.knowledge.tensors import (
    INTEGER_CASTS,
    INTEGER_DTYPES,
    ROUTES,
    SIZE_AT_LEAST,
    SIZED_BY_ARGUMENT,
    SPLITS,
)
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, last_name

_MOST: Final = 60

At = tuple[Activation, Any]


def sites(insides: Insides) -> Iterator[RegionSite]:
    """One site for each routing that decides a size; for other sizes, one where the size is made."""
    seen: set[Any] = set()
    handed = Handed(insides.origins, insides.regions)
    for activation in chain(insides.here(), insides.strange()):
        for node in _operations(activation, insides.program.index):
            deciding = _deciding(activation, node)
            if deciding is None or skipped(activation, node):
                continue
            if without_grad(insides.origins, activation.expr(node), 0):
                continue  # nothing is saved
            roots = list(_roots(activation, deciding))
            if not roots and handed.asked(activation.expr(deciding), _calls(activation)):
                continue  # the recompute is handed the same indices
            here = [(a, n) for a, n in roots if a.function.module is insides.program.index]
            for at, route in here or [(activation, node)]:
                if route not in seen:
                    seen.add(route)
                    form = "routed" if roots else "sized"
                    yield placed(site(SinkKind.DYNAMIC_SHAPE, at, route, form, spelled(route)), at, "decided here")


def _calls(activation: Activation) -> dict[FunctionInfo, Expr]:
    """The calls that lead to an activation in its region, by the functions they enter."""
    found: dict[FunctionInfo, Expr] = {}
    up: Activation | None = activation
    while up is not None and up.parent is not None and up.call is not None:
        found.setdefault(up.function, up.parent.expr(up.call))
        up = up.parent
    return found


def _operations(activation: Activation, index: ModuleIndex) -> Iterator[Any]:
    if activation.function.module is index:
        yield from (n for n in inside(activation.function) if isinstance(n, (nodes.Call, nodes.Subscript)))
    else:
        yield from (n for n in activation.facts.values if isinstance(n, (nodes.Call, nodes.Subscript)))


def _deciding(activation: Activation, node: Any) -> Any:
    """The part of an operation whose values decide the size of what it gives; None where they do not, or did before."""
    values = activation.facts.values
    value = values.get(node)
    if value is None or not (_is_tensors(value) or _splits(activation, node)):
        return None
    if isinstance(node, nodes.Subscript):
        base, index = values.get(node.value, UNKNOWN), values.get(node.slice, UNKNOWN)
        if not value.deps & DATA or not base.kinds & TENSOR or (base.deps & DATA and not index.deps & MASK):
            return None
        # What was sized by values before only hands its size on.
        return None if index.kinds & TENSOR and index.deps & DATA and not index.deps & MASK else node.slice
    func = node.func
    name = str(getattr(func, "attrname", getattr(func, "name", "")))
    if SIZE_AT_LEAST.get(name, "") in {k.arg for k in node.keywords}:
        return None
    if _is_dynamic(activation, node):
        return node
    if name in SIZED_BY_ARGUMENT:
        given = [*node.args, *(k.value for k in node.keywords)]
        return next((a for a in given if _reads_value(activation, a)), None)
    return None


def _splits(activation: Activation, node: Any) -> bool:
    """True for `x.split(sizes)` on something unknown: only a tensor is split by numbers that a tensor held."""
    func = node.func if isinstance(node, nodes.Call) else None
    return (
        isinstance(func, nodes.Attribute)
        and func.attrname in SPLITS
        and activation.facts.values.get(func.expr, UNKNOWN).kinds == UNKNOWN.kinds
        and any(_reads_value(activation, a) for a in node.args)
    )


def _is_tensors(value: AbstractValue) -> bool:
    return bool(value.kinds & TENSOR or (value.kinds & CONTAINER and element(value).kinds & TENSOR))


def _reads_value(activation: Activation, node: Any) -> bool:
    value = activation.facts.values.get(node, UNKNOWN)
    if value.kinds & TENSOR:
        return False
    inner = element(value)
    return bool((value.deps | inner.deps) & DATA and (value.kinds | inner.kinds) & HOST and not inner.kinds & TENSOR)


def _is_dynamic(activation: Activation, node: nodes.Call) -> bool:
    for name, args in activation.facts.externals.get(node, {}).items():
        row = lookup(name, len(args.positional), args.names(), kinds=args.kinds())
        if row is not None and "dynamic-shape" in row.effects:
            return True
    func = node.func
    if isinstance(func, nodes.Attribute) and activation.facts.values.get(func.expr, UNKNOWN).kinds & TENSOR:
        args = passed(activation.facts.values, node)
        row = tensor_row(func.attrname, len(node.args), args.names(), kinds=args.kinds())
        return row is not None and "dynamic-shape" in row.effects
    return False


def _roots(activation: Activation, top: Any) -> Iterator[At]:
    """The routings in a region that an expression is computed from, but for those computed from another one."""
    found = [(a, n) for a, n in computed_from(activation, top) if _routes(a, n)]
    for at, node in found:
        operands = [*node.args, *([node.func.expr] if isinstance(node.func, nodes.Attribute) else [])]
        if not any(_routes(a, n) and n is not node for operand in operands for a, n in computed_from(at, operand)):
            yield at, node


def _routes(activation: Activation, node: Any) -> bool:
    """True for a call that picks by value among scores: `topk`, `argmax`, a sort, a `max` with indices. What was
    made integers or a mask before holds no scores: no rounding moves it.
    """
    if not isinstance(node, nodes.Call):
        return False
    func = node.func
    name = str(getattr(func, "attrname", getattr(func, "name", "")))
    if name not in ROUTES:
        return False
    value = activation.facts.values.get(node, UNKNOWN)
    owner = activation.facts.values.get(func.expr, UNKNOWN) if isinstance(func, nodes.Attribute) else UNKNOWN
    torch = any(n.startswith("torch.") for n in activation.facts.externals.get(node, ()))
    if not (torch or owner.kinds & TENSOR):
        return False
    picked = func.expr if isinstance(func, nodes.Attribute) and owner.kinds & TENSOR else next(iter(node.args), None)
    if _is_exact(activation, picked):
        return False
    return name not in ("max", "min", "sort") or bool(value.kinds & CONTAINER)


def _is_exact(at: Activation, node: Any) -> bool:
    """True for what is converted to integers or to a mask where it stands, and was not compared just before."""
    func = node.func if isinstance(node, nodes.Call) else None
    if not isinstance(func, nodes.Attribute):
        return False
    given = [*node.args, *(k.value for k in node.keywords)] if func.attrname in ("to", "type") else []
    if func.attrname not in INTEGER_CASTS and not any(last_name(a) in INTEGER_DTYPES | {"bool"} for a in given):
        return False
    named = (value for name in func.expr.nodes_of_class(nodes.Name) for value, _ in unpacked(at, name.name))
    return not any(True for value in (func.expr, *named) for _ in value.nodes_of_class(nodes.Compare))


def computed_from(activation: Activation, top: Any) -> Iterator[At]:
    """The calls that an expression is computed from: through locals, arguments, returned values."""
    work: list[tuple[Activation, Any, int | None]] = [(activation, top, None)]
    seen: set[tuple[int, Any]] = set()
    while work and len(seen) < _MOST:
        at, expression, position = work.pop(0)
        for node in expression.nodes_of_class((nodes.Name, nodes.Call), NESTED):
            key = (id(at), node)
            if key in seen:
                continue
            seen.add(key)
            if isinstance(node, nodes.Call):
                yield at, node
                inner = at.entered(node)
                if inner is not None:
                    part = position if node is expression else None
                    work.extend((inner, _part(r, part), None) for r in inner.returned())
            else:
                work.extend((at, value, part) for value, part in unpacked(at, node.name))
                given = at.argument(node.name)
                if given is not None and at.parent is not None:
                    work.append((at.parent, given, None))


def _part(returned: Any, position: int | None) -> Any:
    """What is unpacked from a returned tuple at a position; all of it where that cannot be told."""
    known = isinstance(returned, nodes.Tuple) and position is not None and position < len(returned.elts)
    return returned.elts[position] if known else returned
