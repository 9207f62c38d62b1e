"""TBR211: normalizations in and beside regions: reported if, and only if, their statistics advance twice in a step."""

from __future__ import annotations

import ast

import pytest

from tests.oracle.agree import HEAD, advances, buffers, forms, reported, require_torch, step
from tests.oracle.support import loaded

require_torch()
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

WHOLE = (
    HEAD
    + """
class Norms(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.instance = nn.InstanceNorm1d(4, track_running_stats=True)
        self.batch = nn.BatchNorm1d(4)
        self.register_buffer("running_mean", torch.zeros(4))
        self.register_buffer("running_var", torch.ones(4))

    def spread(self, h: Tensor) -> Tensor:
        return A(h).tanh().expand(2, 3, 4).transpose(1, 2)


NORMS = Norms()


def last(x: Tensor) -> Tensor:
    return checkpoint(lambda h: NORMS.instance(NORMS.spread(h)), x, use_reentrant=False)


def last_scaled(x: Tensor) -> Tensor:
    return checkpoint(lambda h: NORMS.instance(NORMS.spread(h)) * 2, x, use_reentrant=False)


def followed(x: Tensor) -> Tensor:
    return checkpoint(lambda h: NORMS.instance(NORMS.spread(h)).exp(), x, use_reentrant=False)


def last_reentrant(x: Tensor) -> Tensor:
    return checkpoint(lambda h: NORMS.instance(NORMS.spread(h)), x, use_reentrant=True)


def last_batch(x: Tensor) -> Tensor:
    return checkpoint(lambda h: NORMS.batch(A(h).tanh()), x, use_reentrant=False)


def last_functional(x: Tensor) -> Tensor:
    n = NORMS
    return checkpoint(lambda h: F.instance_norm(n.spread(h), n.running_mean, n.running_var), x, use_reentrant=False)


def functional_followed(x: Tensor) -> Tensor:
    n = NORMS
    return checkpoint(
        lambda h: F.instance_norm(n.spread(h), n.running_mean, n.running_var).exp(), x, use_reentrant=False
    )


def functional_reentrant(x: Tensor) -> Tensor:
    n = NORMS
    return checkpoint(lambda h: F.instance_norm(n.spread(h), n.running_mean, n.running_var), x, use_reentrant=True)


def functional_batch(x: Tensor) -> Tensor:
    n = NORMS
    return checkpoint(
        lambda h: F.batch_norm(A(h).tanh(), n.running_mean, n.running_var, training=True), x, use_reentrant=False
    )


class Every(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(4)

    def forward(self, x: Tensor) -> Tensor:
        for module in self.modules():
            module.eval()
        return torch.tanh(self.bn(A(x)))


class EachChild(Every):
    def forward(self, x: Tensor) -> Tensor:
        for child in self.children():
            child.train(False)
        return torch.tanh(self.bn(A(x)))


class EachNorm(Every):
    def forward(self, x: Tensor) -> Tensor:
        for module in self.modules():
            if isinstance(module, (nn.BatchNorm1d, nn.Dropout)):
                module.eval()
        return torch.tanh(self.bn(A(x)))


class EachOther(Every):
    def forward(self, x: Tensor) -> Tensor:
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.eval()
        return torch.tanh(self.bn(A(x)))


class Afterwards(Every):
    def forward(self, x: Tensor) -> Tensor:
        out = torch.tanh(self.bn(A(x)))
        for module in self.modules():
            module.eval()
        self.train()
        return out


class Trains(Every):
    def forward(self, x: Tensor) -> Tensor:
        for module in self.modules():
            module.train()
        return torch.tanh(self.bn(A(x)))


ALL, CHILDREN, NORM, OTHER, AFTER, TRAINS = Every(), EachChild(), EachNorm(), EachOther(), Afterwards(), Trains()
PLAIN = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh())


def every(x: Tensor) -> Tensor:
    return checkpoint(ALL, x, use_reentrant=False)


def each_child(x: Tensor) -> Tensor:
    return checkpoint(CHILDREN, x, use_reentrant=False)


def each_norm(x: Tensor) -> Tensor:
    return checkpoint(NORM, x, use_reentrant=False)


def each_other(x: Tensor) -> Tensor:
    return checkpoint(OTHER, x, use_reentrant=False)


def afterwards(x: Tensor) -> Tensor:
    return checkpoint(AFTER, x, use_reentrant=False)


def trains(x: Tensor) -> Tensor:
    return checkpoint(TRAINS, x, use_reentrant=False)


def ahead(x: Tensor) -> Tensor:
    for module in PLAIN.modules():
        module.eval()
    return checkpoint(PLAIN, x, use_reentrant=False)
"""
)


def test_statistics_of_norms_at_the_end_and_of_whole_modules() -> None:
    names = [n.name for n in ast.parse(WHOLE).body if isinstance(n, ast.FunctionDef)]
    wrong = {name for name in names if advances(WHOLE, name, "running_mean")}
    assert 3 < len(wrong) < len(names) - 3
    assert set(reported(WHOLE, "TBR211")) == wrong


def twice(name: str) -> bool:
    """True when a step of a form counts a batch twice."""
    with loaded(STATISTICS) as module:
        step(module, name)
        return any(count > 1 for count in buffers(module, "num_batches_tracked"))


def test_statistics_that_advance_twice() -> None:
    names = forms(STATISTICS)
    wrong = {name for name in names if twice(name)}
    assert 0 < len(wrong) < len(names)
    assert set(reported(STATISTICS, "TBR211")) == wrong
