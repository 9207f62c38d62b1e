"""What a function's run leads to: the functions it reaches, through calls, in this file and others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.syntax.names import FunctionInfo

MOST: Final = 120


class CallTree:
    """Reachability over call edges, asked lazily and bounded."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._reached: dict[FunctionInfo, tuple[FunctionInfo, ...]] = {}

    def reached(self, function: FunctionInfo) -> tuple[FunctionInfo, ...]:
        """The function and all it may call, nearest first."""
        known = self._reached.get(function)
        if known is None:
            order = [function]
            for current in order:
                if len(order) > MOST:
                    break
                for callees in self.origins.facts(current.module, current).calls.values():
                    order.extend(c for c in callees if c not in order)
            known = self._reached[function] = tuple(order)
        return known

    def calls(self, function: FunctionInfo) -> Iterator[Expr]:
        """Every call that a run of the function may make, in itself and in what it reaches."""
        for current in self.reached(function):
            for node in current.calls:
                yield Expr(current.module, current, node)


def tree_of(origins: Origins) -> CallTree:
    """The program's one tree."""
    return cast("CallTree", origins.memo.setdefault(CallTree, CallTree(origins)))
