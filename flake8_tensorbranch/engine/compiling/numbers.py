"""Calls that make a Python number of a tensor, by whichever name: a method, a conversion, a reference to one."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import ARRAY, DATA, HOST, TENSOR, UNKNOWN, UNKNOWN_KIND, AbstractValue
from flake8_tensorbranch.engine.refs import Method
from flake8_tensorbranch.knowledge.passing import KEEPING

_READS: Final = frozenset({"item", "tolist"})
_SPECIAL: Final = frozenset({"__complex__", "__float__", "__index__", "__int__"})
_CONVERSIONS: Final = frozenset({"builtins.complex", "builtins.float", "builtins.int"})
_OF_TENSORS: Final = frozenset(
    f"{kind}.{name}" for kind in ("torch.Tensor", "operator.methodcaller") for name in _READS
)
_GOES_THROUGH: Final = "builtins.map"
_TRUTHS: Final = frozenset({"operator.contains", "operator.not_", "operator.truth"})
_ASKED: Final = frozenset({"__bool__", "__contains__"})
ASKS_TRUTH: Final = _ASKED | {name.rpartition(".")[2] for name in _TRUTHS}
"""Last names of calls other than `bool` that ask a tensor for its truth."""
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


def converted(facts: Facts, call: nodes.Call) -> nodes.NodeNG | None:
    """What `int(t)`, `float(t)`, `bool(t)`, a function of math or `operator.truth` asks for the number behind, a tensor
    or a number that was read from one: a tracer without Python's frames has to know the outcome (observed: a strict
    export does not). None for any other call.
    """
    func = call.func
    if isinstance(func, nodes.Attribute) and (func.attrname in _SPECIAL or func.attrname in _ASKED):
        return func.expr if facts.values.get(func.expr, UNKNOWN).must(TENSOR) else None
    names = facts.externals.get(call)
    if not names or not _DECIDES.isdisjoint(names):
        return None
    for name, args in names.items():
        one = (name in _CONVERSIONS or name == "builtins.bool") and len(args.positional) == 1
        if (one or name.startswith("math.") or name in _TRUTHS) and args.positional:
            value = args.positional[0]
            if value.must(TENSOR) or (value.must(HOST) and value.deps & DATA):
                through = _GOES_THROUGH in names and len(call.args) > 1
                return call.args[1] if through else call.args[0] if call.args else func
    return None


def truth(facts: Facts, call: nodes.Call) -> nodes.NodeNG | None:
    """The tensor whose truth a call asks by another name than `bool`; None for any other call."""
    func = call.func
    if isinstance(func, nodes.Attribute) and func.attrname in _ASKED:
        source = func.expr
    elif call.args and not _TRUTHS.isdisjoint(facts.externals.get(call, ())):
        source = call.args[0]
    else:
        return None
    return source if facts.values.get(source, UNKNOWN).must(TENSOR) else None


def _names_read(ref: Method) -> bool:
    return ref.name in _READS and _is_read(ref.owner)


def _is_read(value: AbstractValue) -> bool:
    """True for a tensor, and for an array that has the values of one."""
    if value.kinds & TENSOR:
        return not value.kinds & UNKNOWN_KIND
    return value.must(ARRAY) and bool(value.deps & DATA)
