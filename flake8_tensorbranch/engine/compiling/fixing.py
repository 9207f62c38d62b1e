"""Operations that fix a dimension of a parameter: listed sizes, operands and layers of a size that the source tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.compiling import examples, ranged
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import UNKNOWN
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.tracing import FIXED_BY_LAYERS, PRODUCTS
from flake8_tensorbranch.syntax.names import FunctionInfo, called_name

_ELEMENTWISE: Final = frozenset({"+", "-", "*", "/"})
_JOINS: Final = {"cat": True, "concat": True, "stack": False}
"""Functions that join a list of tensors, and whether they may differ in the dimension that is joined."""


@dataclass(frozen=True, slots=True)
class Given:
    """One function, its parameters with declared dimensions, and how many dimensions they have, where that is known."""

    origins: Origins
    function: FunctionInfo
    facts: Facts
    parameters: Mapping[str, Mapping[int, Any]]
    ranks: Mapping[str, int]

    def at(self, node: nodes.NodeNG, dim: int) -> Any:
        """What declares a dimension of the parameter that an expression is; None where nothing does."""
        declared = self.parameters.get(getattr(node, "name", ""), {})
        rank = self.ranks.get(getattr(node, "name", ""))
        if dim in declared or rank is None:
            return declared.get(dim)
        return next((found for at, found in declared.items() if at % rank == dim % rank), None)

    def knows(self, node: nodes.NodeNG) -> bool:
        """True for a parameter with a declared dimension."""
        return getattr(node, "name", "") in self.parameters

    def each(self, node: nodes.NodeNG) -> Iterator[tuple[int, Any]]:
        """The declared dimensions of a parameter whose rank is known, counted from the front."""
        rank = self.ranks.get(getattr(node, "name", ""))
        for at, found in self.parameters.get(getattr(node, "name", ""), {}).items():
            if rank is not None:
                yield at % rank, found

    def rank(self, node: nodes.NodeNG) -> int:
        """The number of a parameter's dimensions; 0 where it is not known."""
        return self.ranks.get(getattr(node, "name", ""), 0)

    def sizes(self, node: nodes.NodeNG) -> examples.Sizes | None:
        """The sizes of a tensor that is no parameter of these, as far as the source spells them out."""
        if getattr(node, "name", "") in self.parameters:
            return None
        return examples.sizes(self.origins, Expr(self.function.module, self.function, node))


def operations(given: Given) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG, Any, str]]:
    """Each such operation: its node, the parameter in it, what declares the dimension, and how it is fixed."""
    for node in list(given.facts.values):
        if isinstance(node, nodes.BinOp):
            if node.op in _ELEMENTWISE or node.op == "@":
                pairs = ((node.left, node.right, False), (node.right, node.left, True))
                for side, other, right in pairs:
                    ask = _product if node.op == "@" else _sum
                    yield from ((node, side, found, "sum") for found in ask(given, side, other, right))
        elif isinstance(node, nodes.Call):
            for side, found, how in _call(given, node):
                yield node, side, found, how
        elif isinstance(node, nodes.Subscript):
            for at, least in ranged.indexed(node) if given.knows(node.value) else ():
                found = given.at(node.value, at)
                if found is not None and found.form == "dim" and found.low < least:
                    yield node, node.value, found, "range"


def _sum(given: Given, side: nodes.NodeNG, other: nodes.NodeNG, _: bool = False) -> Iterator[Any]:
    """The dimensions that an operand of a known size makes equal to its own."""
    rank = given.rank(side)
    sizes = given.sizes(other) if rank else None
    for at, found in given.each(side) if sizes is not None else ():
        aligned = at - rank + len(sizes or ())
        if sizes is not None and aligned >= 0 and sizes[aligned] not in (None, 0, 1):
            yield found


def _product(given: Given, side: nodes.NodeNG, other: nodes.NodeNG, right: bool) -> Iterator[Any]:
    """The dimension over which a matrix product sums, where the other factor's size is known."""
    rank = given.rank(side)
    sizes = given.sizes(other) if rank else None
    if not sizes:
        return
    found = given.at(side, (-2 if rank > 1 else -1) if right else -1)
    if found is not None and sizes[-1 if right or len(sizes) == 1 else -2] is not None:
        yield found


def _call(given: Given, call: nodes.Call) -> Iterator[tuple[nodes.NodeNG, Any, str]]:
    name, func = called_name(call), call.func
    receiver = func.expr if isinstance(func, nodes.Attribute) and given.knows(func.expr) else None
    of_torch = any(q.startswith("torch.") for q in given.facts.externals.get(call, ()))
    side, args = (receiver, list(call.args)) if receiver is not None else (next(iter(call.args), call), call.args[1:])
    for ref in given.facts.values.get(func, UNKNOWN).each:
        at = FIXED_BY_LAYERS.get(str(ref.cls)) if isinstance(ref, Instance) else None
        if at is not None and given.rank(side) and (found := given.at(side, at)) is not None:
            yield side, found, "layer"
    if receiver is None and not of_torch:
        return
    if name in PRODUCTS and args:
        yield from ((side, found, "sum") for found in _product(given, side, args[0], False))
        yield from ((args[0], found, "sum") for found in _product(given, args[0], side, True))
    elif name in _JOINS and isinstance(side, (nodes.List, nodes.Tuple)):
        yield from _joined(given, side, ranged.argument(call, args, 0, "dim", 0), _JOINS[name])
    elif name == "split" and args and _literals(args[0]):
        yield from _one(given, side, ranged.argument(call, args, 1, "dim", 0), "pieces")
    elif name == "unflatten" and len(args) == 2 and _literals(args[1]):
        yield from _one(given, side, ranged.argument(call, args, 0, "dim"), "view")
    elif name == "expand" and receiver is not None:
        yield from _expanded(given, side, args)
    elif given.knows(side) and (asked := ranged.called(call, args)) is not None:
        at, least, span = asked
        found = given.at(side, at)
        if found is not None and found.form == "dim" and not ranged.allows(least, span, found.low, found.high):
            yield side, found, "range"


def _one(given: Given, side: nodes.NodeNG, dim: int | None, how: str) -> Iterator[tuple[nodes.NodeNG, Any, str]]:
    found = None if dim is None else given.at(side, dim)
    if found is not None:
        yield side, found, how


def _joined(
    given: Given, listed: nodes.List | nodes.Tuple, dim: int | None, differ: bool
) -> Iterator[tuple[nodes.NodeNG, Any, str]]:
    """The dimensions in which what is joined with tensors of a known size has to be as large as these."""
    parts: list[Any] = list(listed.elts)
    for side in parts if dim is not None else ():
        for other in parts:
            sizes = given.sizes(other) if given.rank(side) else None
            if sizes is None or len(sizes) != given.rank(side) or dim is None:
                continue
            for at, found in given.each(side):
                if sizes[at] is not None and not (differ and at == dim % len(sizes)):
                    yield side, found, "sum"


def _expanded(given: Given, side: nodes.NodeNG, args: list[Any]) -> Iterator[tuple[nodes.NodeNG, Any, str]]:
    """The dimensions that `x.expand(8, -1)` names a size for."""
    sizes = list(args[0].elts) if len(args) == 1 and isinstance(args[0], (nodes.List, nodes.Tuple)) else args
    rank = given.rank(side)
    for at, found in given.each(side):
        aligned = at - rank + len(sizes)
        if 0 <= aligned < len(sizes) and type(getattr(sizes[aligned], "value", None)) is int:
            yield side, found, "view"  # -1 is a unary minus


def _literals(node: Any) -> bool:
    """True for a display of whole numbers alone."""
    if not isinstance(node, (nodes.List, nodes.Tuple)) or not node.elts:
        return False
    return all(isinstance(e, nodes.Const) and type(e.value) is int for e in node.elts)
