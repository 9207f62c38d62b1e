"""Calls that make a Python number of a tensor, by whichever name: a method, a conversion, a reference to one."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import ARRAY, DATA, TENSOR, UNKNOWN, UNKNOWN_KIND, AbstractValue
from flake8_tensorbranch.engine.refs import Method
from flake8_tensorbranch.knowledge.passing import KEEPING

_READS: Final = frozenset({"item", "tolist"})
_SPECIAL: Final = frozenset({"__complex__", "__float__", "__index__", "__int__"})
_CONVERSIONS: Final = frozenset({"builtins.complex", "builtins.float", "builtins.int"})
_OF_TENSORS: Final = frozenset(
    f"{kind}.{name}" for kind in ("torch.Tensor", "operator.methodcaller") for name in _READS
)
_GOES_THROUGH: Final = "builtins.map"
_DECIDES: Final = frozenset({"builtins.sorted", *KEEPING})
"""Calls that ask a function of each element for a decision of their own, which has a site of its own."""


def number_read(facts: Facts, node: nodes.Call) -> nodes.NodeNG | None:
    """The expression of whose tensor a call makes a Python number; None for any other call."""
    func = node.func
    if isinstance(func, nodes.Attribute) and (func.attrname in _READS or func.attrname in _SPECIAL):
        if not node.args and _is_read(facts.values.get(func.expr, UNKNOWN)):
            return func.expr
    else:
        called = facts.values.get(func)
        if called is not None and any(type(r) is Method and _names_read(r) for r in called.each):
            return func
    names = facts.externals.get(node)
    if not names or not _DECIDES.isdisjoint(names):
        return None
    through = _GOES_THROUGH in names
    for name, args in names.items():
        converts = name in _CONVERSIONS or name in _OF_TENSORS or name.startswith("math.")
        if (converts or (through and name == "builtins.bool")) and args.positional and _is_read(args.positional[0]):
            return node.args[1] if through and len(node.args) > 1 else node.args[0] if node.args else func
    return None


def _names_read(ref: Method) -> bool:
    return ref.name in _READS and _is_read(ref.owner)


def _is_read(value: AbstractValue) -> bool:
    """True for a tensor, and for an array that has the values of one."""
    if value.kinds & TENSOR:
        return not value.kinds & UNKNOWN_KIND
    return value.must(ARRAY) and bool(value.deps & DATA)
