"""Recursion, judged by name: whether a function may lead back to itself inside its module."""

from __future__ import annotations

from typing import cast

from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, called_name


def recurs(function: FunctionInfo) -> bool:
    """Whether calls, by their names alone, lead from the function back to its name; once per function."""
    memo = function.module.memo
    key = ("recurs", function)
    if key not in memo:
        named = _named(function.module)
        seen: set[str] = set()
        stack = [function]
        while stack:
            inner = stack.pop()
            stack.extend(inner.nested)
            for call in inner.calls:
                name = called_name(call)
                if name not in seen:
                    seen.add(name)
                    stack.extend(named.get(name, ()))
        memo[key] = function.name in seen
    return bool(memo[key])


def _named(module: ModuleIndex) -> dict[str, list[FunctionInfo]]:
    if "named" not in module.memo:
        found: dict[str, list[FunctionInfo]] = {}
        for function in module.functions:
            found.setdefault(function.name, []).append(function)
        module.memo["named"] = found
    return cast("dict[str, list[FunctionInfo]]", module.memo["named"])
