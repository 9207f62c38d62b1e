"""TBR211: normalizations in and beside regions: reported if, and only if, their statistics advance twice in a step."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, forms, reported, require_torch, step
from tests.oracle.support import loaded

torch = require_torch()
pytestmark = pytest.mark.oracle

STATISTICS = (
    HEAD
    + """
import torch.utils.checkpoint as ck


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(4)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.bn(A(x)))


class Without(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(4, track_running_stats=False)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.bn(A(x)))


ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN = Plain(), Plain(), Plain(), Plain(), Plain(), Plain(), Plain()
FREE = Without()
SEQ = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh())
PARTS = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh())
LAYER = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Tanh())
GROUP = nn.Sequential(nn.Linear(4, 4), nn.GroupNorm(2, 4), nn.Tanh())
OUT = nn.BatchNorm1d(4)


def direct(x: Tensor) -> Tensor:
    return checkpoint(ONE, x, use_reentrant=False)


def by_module(x: Tensor) -> Tensor:
    return ck.checkpoint(TWO, x, use_reentrant=False)


def reentrant(x: Tensor) -> Tensor:
    return checkpoint(THREE, x, use_reentrant=True)


def by_partial(x: Tensor) -> Tensor:
    return checkpoint(functools.partial(FOUR), x, use_reentrant=False)


def by_lambda(x: Tensor) -> Tensor:
    return checkpoint(lambda h: FIVE(h), x, use_reentrant=False)


def by_method(x: Tensor) -> Tensor:
    return checkpoint(SIX.forward, x, use_reentrant=False)


def by_attribute(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.sin(SEVEN.bn(torch.tanh(A(h))))

    return checkpoint(region, x, use_reentrant=False)


def sequential(x: Tensor) -> Tensor:
    return checkpoint(SEQ, x, use_reentrant=False)


def segments(x: Tensor) -> Tensor:
    return ck.checkpoint_sequential(PARTS, 3, x, use_reentrant=False)


def untracked(x: Tensor) -> Tensor:
    return checkpoint(FREE, x, use_reentrant=False)


def layer_norm(x: Tensor) -> Tensor:
    return checkpoint(LAYER, x, use_reentrant=False)


def group_norm(x: Tensor) -> Tensor:
    return checkpoint(GROUP, x, use_reentrant=False)


def outside(x: Tensor) -> Tensor:
    return OUT(checkpoint(A, x, use_reentrant=False))
"""
)


def twice(name: str) -> bool:
    """True when a step of a form counts a batch twice."""
    with loaded(STATISTICS) as module:
        step(module, name)
        roots = [value for value in vars(module).values() if isinstance(value, torch.nn.Module)]
        counts = [getattr(part, "num_batches_tracked", None) for root in roots for part in root.modules()]
    return any(count is not None and int(count) > 1 for count in counts)


def test_statistics_that_advance_twice() -> None:
    names = forms(STATISTICS)
    wrong = {name for name in names if twice(name)}
    assert 0 < len(wrong) < len(names)
    assert set(reported(STATISTICS, "TBR211")) == wrong
