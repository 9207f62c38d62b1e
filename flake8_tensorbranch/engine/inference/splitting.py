"""Names that a function uses as the sizes of a split: no tensors, whatever the dictionary they come from may hold."""

from __future__ import annotations

from typing import Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.lattice import CONTAINER, HOST_VALUE, TENSOR, AbstractValue, join, make, without
from flake8_tensorbranch.knowledge.containers import ITERATES
from flake8_tensorbranch.knowledge.tensors import SPLIT_SIZES
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, last_name

_NONE: Final[frozenset[str]] = frozenset()
_WORDS: Final = tuple(f"{name}(" for name in sorted(SPLIT_SIZES))


def sizes(function: FunctionInfo | None) -> frozenset[str]:
    """The local names that are both the sizes of a split and gone over: a tensor with one dimension fails at the first
    (facts: tests of the words on torch), one without at the second.
    """
    if function is None or not function.module.mentions(_WORDS):
        return _NONE
    memo = function.module.memo
    key = ("splitting", function)
    if key not in memo:
        given = {name for call in function.calls if (name := _given(call)) in function.local_names}
        memo[key] = frozenset(name for name in given if _is_iterated(function, name))
    return cast("frozenset[str]", memo[key])


def listed(value: AbstractValue) -> AbstractValue:
    """What such a name holds, where its origin says a tensor: a list of numbers."""
    if not value.kinds & TENSOR:
        return value
    return join(without(value, TENSOR), make(CONTAINER, elem=HOST_VALUE))


def _given(call: nodes.Call) -> str:
    """The name passed as the sizes of a split; empty where there is none."""
    keyword = SPLIT_SIZES.get(last_name(call.func))
    if keyword is None:
        return ""
    position = 1 if (dotted(call.func) or "").startswith("torch.") else 0
    given = call.args[position] if position < len(call.args) else None
    given = given or next((k.value for k in call.keywords if k.arg == keyword), None)
    return given.name if isinstance(given, nodes.Name) else ""


def _is_iterated(function: FunctionInfo, name: str) -> bool:
    calls = (c for c in function.calls if last_name(c.func) in ITERATES)
    if any(isinstance(a, nodes.Name) and a.name == name for c in calls for a in c.args):
        return True
    loops = function.node.nodes_of_class((nodes.For, nodes.Comprehension))
    return any(isinstance(loop.iter, nodes.Name) and loop.iter.name == name for loop in loops)
