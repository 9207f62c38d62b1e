"""How rows are written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flake8_tensorbranch.knowledge.model import OpModel


class Rows(NamedTuple):
    """The same row for several names; turned into `OpModel` only for a name that is asked for."""

    qualnames: list[str]
    returns: str
    why: str
    deps: Sequence[str]
    effects: Sequence[str]
    demands: tuple[tuple[int, str], ...]
    when: str

    def model(self, qualname: str) -> OpModel:
        """The row of one of the names."""
        deps, effects = frozenset(self.deps), frozenset(self.effects)
        return OpModel(qualname, self.returns, deps, effects, self.demands, self.when, why=self.why)


def op(
    qualname: str,
    *,
    returns: str,
    why: str,
    deps: Sequence[str] = (),
    effects: Sequence[str] = (),
    demands: tuple[tuple[int, str], ...] = (),
    when: str = "",
) -> Rows:
    """One hand-written row; `why` names the source of the fact."""
    return Rows([qualname], returns, why, deps, effects, demands, when)


def each(
    prefix: str,
    names: str,
    *,
    returns: str,
    why: str,
    deps: Sequence[str] = (),
    effects: Sequence[str] = (),
    demands: tuple[tuple[int, str], ...] = (),
    when: str = "",
) -> Rows:
    """The same row for several names under one prefix."""
    return Rows([prefix + name for name in names.split()], returns, why, deps, effects, demands, when)
