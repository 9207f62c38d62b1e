"""Where a function may lead inside its module, judged by the names of what it calls alone."""

from __future__ import annotations

from collections.abc import Set
from typing import Final, cast

from flake8_tensorbranch.knowledge.model import names_with
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, called_name

_TELLING: Final = ("dynamic-shape", "nondet", "rng", "collective")


def recurs(function: FunctionInfo) -> bool:
    """Whether calls lead from the function back to its name; once per function."""
    memo = function.module.memo
    key = ("recurs", function)
    if key not in memo:
        memo[key] = _leads_to(function, {function.name}, masks=False)
    return bool(memo[key])


def only_tensors(function: FunctionInfo) -> bool:
    """Whether of a function that is declared to return a tensor no more is to be learnt than that: nothing it leads to
    makes a size depend on values (an operation of torch, an item picked by something without a constant in it), draws,
    communicates or differs from run to run; once per function.
    """
    memo = function.module.memo
    key = ("only tensors", function)
    if key not in memo:
        memo[key] = not _leads_to(function, names_with(_TELLING), masks=True)
    return bool(memo[key])


def _leads_to(function: FunctionInfo, names: Set[str], masks: bool) -> bool:
    """Whether a call of one of the names is met, or, with `masks`, an item that may be picked by a mask."""
    named = _named(function.module)
    seen: set[str] = set()
    stack = [function]
    while stack:
        inner = stack.pop()
        if masks and inner.picks:
            return True
        stack.extend(inner.nested)
        for call in inner.calls:
            name = called_name(call)
            if name in names:
                return True
            if name not in seen:
                seen.add(name)
                stack.extend(named.get(name, ()))
    return False


def _named(module: ModuleIndex) -> dict[str, list[FunctionInfo]]:
    if "named" not in module.memo:
        found: dict[str, list[FunctionInfo]] = {}
        for function in module.functions:
            found.setdefault(function.name, []).append(function)
        module.memo["named"] = found
    return cast("dict[str, list[FunctionInfo]]", module.memo["named"])
