"""How a row is written by hand."""

from __future__ import annotations

from collections.abc import Iterable

from flake8_tensorbranch.knowledge.model import OpModel


def op(
    qualname: str,
    *,
    returns: str,
    why: str,
    deps: Iterable[str] = (),
    effects: Iterable[str] = (),
    demands: tuple[tuple[int, str], ...] = (),
    when: str = "",
) -> OpModel:
    """One hand-written row; `why` names the source of the fact."""
    return OpModel(qualname, returns, frozenset(deps), frozenset(effects), demands, when, why=why)


def each(
    prefix: str,
    names: str,
    *,
    returns: str,
    why: str,
    deps: Iterable[str] = (),
    effects: Iterable[str] = (),
    demands: tuple[tuple[int, str], ...] = (),
    when: str = "",
) -> list[OpModel]:
    """The same row for several names under one prefix."""
    return [
        op(prefix + name, returns=returns, why=why, deps=deps, effects=effects, demands=demands, when=when)
        for name in names.split()
    ]
