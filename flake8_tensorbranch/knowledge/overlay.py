"""Hand-written rows for what torch's schemas do not say, each with the source of the fact."""

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


OPS: tuple[OpModel, ...] = (
    op("torch.Tensor.__bool__", returns="host", deps=("data",), effects=("sync",), why="untagged in the schema; reads the value (GB0170)"),
)
