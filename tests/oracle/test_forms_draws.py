"""TBR203: generators in a checkpointed region: reported if, and only if, the recompute's draws make other gradients."""

from __future__ import annotations

import ast

import pytest

from tests.oracle.agree import HEAD, differs, reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

DRAWS = (
    HEAD
    + """
import numpy as np

GEN = torch.Generator()
GEN.manual_seed(0)
RNG = random.Random(0)
NP = np.random.default_rng(0)
COUNT = itertools.count()


def gen(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)

    return checkpoint(region, x, use_reentrant=False)


def gen_seeded(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        GEN.manual_seed(3)
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)

    return checkpoint(region, x, use_reentrant=False)


def gen_seeded_outside(x: Tensor) -> Tensor:
    GEN.manual_seed(3)
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)

    return checkpoint(region, x, use_reentrant=False)


def gen_made_inside(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        g = torch.Generator().manual_seed(3)
        return torch.tanh(A(h)) * torch.rand(4, generator=g)

    return checkpoint(region, x, use_reentrant=False)


def gen_local(x: Tensor) -> Tensor:
    g = torch.Generator().manual_seed(3)
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * torch.rand(4, generator=g)

    return checkpoint(region, x, use_reentrant=False)


def gen_arg(x: Tensor) -> Tensor:
    def region(h: Tensor, g):
        return torch.tanh(A(h)) * torch.rand(4, generator=g)

    return checkpoint(region, x, GEN, use_reentrant=False)


def gen_method(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * torch.empty(4).normal_(generator=GEN)

    return checkpoint(region, x, use_reentrant=False)


def default_generator(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * torch.rand(4, generator=torch.default_generator)

    return checkpoint(region, x, use_reentrant=False)


def rng(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * RNG.random()

    return checkpoint(region, x, use_reentrant=False)


def rng_seeded(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        RNG.seed(0)
        return torch.tanh(A(h)) * RNG.random()

    return checkpoint(region, x, use_reentrant=False)


def np(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * float(NP.random())

    return checkpoint(region, x, use_reentrant=False)


def count(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * next(COUNT)

    return checkpoint(region, x, use_reentrant=False)


def state(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        GEN.set_state(KEPT)
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)

    return checkpoint(region, x, use_reentrant=False)


KEPT = GEN.get_state()


def randperm(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h))[torch.randperm(3, generator=GEN)].cumsum(0)

    return checkpoint(region, x, use_reentrant=False)


def dropmask(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        keep = torch.bernoulli(torch.full((4,), 0.5), generator=GEN)
        return torch.tanh(A(h)) * keep

    return checkpoint(region, x, use_reentrant=False)


def draw() -> Tensor:
    return torch.rand(4, generator=GEN)


def default_arg(x: Tensor) -> Tensor:
    def region(h: Tensor, g=GEN):
        return torch.tanh(A(h)) * torch.rand(4, generator=g)

    return checkpoint(region, x, use_reentrant=False)


def seeded_branch(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        RNG.seed(0)
        h = torch.tanh(A(h))
        if RNG.random() < 0.8:
            h = h.sin()
        return h

    return checkpoint(region, x, use_reentrant=False)


def branch(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h))
        if RNG.random() < 0.8:
            h = h.sin().cos()
        return h.sin()

    return checkpoint(region, x, use_reentrant=True)


def default_branch(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h))
        if torch.rand(1, generator=torch.default_generator) < 0.9:
            h = h.sin()
        return h

    return checkpoint(region, x, use_reentrant=False)


def scaled_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h))
        return h * random.random()

    return checkpoint(region, x, use_reentrant=False)


def scaled_then_sin(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h))
        return (h * random.random()).sin()

    return checkpoint(region, x, use_reentrant=False)


def scaled_aug(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        h *= random.random()
        return h

    return checkpoint(region, x, use_reentrant=False)


def pow_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).abs()
        return h ** (1 + random.random())

    return checkpoint(region, x, use_reentrant=False)


def rpow_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).abs()
        return (1 + random.random()) ** h

    return checkpoint(region, x, use_reentrant=False)


def div_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).abs()
        return h / (1 + random.random())

    return checkpoint(region, x, use_reentrant=False)


def rdiv_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).abs() + 1
        return (1 + random.random()) / h

    return checkpoint(region, x, use_reentrant=False)


def dropout(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h))
        return F.dropout(h, 0.5 * random.random())

    return checkpoint(region, x, use_reentrant=False)


def times_layer(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(h)
        return A(h * random.random())

    return checkpoint(region, x, use_reentrant=False)


def mod_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) % (0.1 + random.random())

    return checkpoint(region, x, use_reentrant=False)


def square_sum(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        s = random.random()
        h = torch.tanh(A(h)) * s
        return h * h

    return checkpoint(region, x, use_reentrant=False)


def reseeded_after(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)) * torch.rand(4, generator=GEN)
        GEN.manual_seed(0)
        return h
    GEN.manual_seed(5)

    return checkpoint(region, x, use_reentrant=False)


def seed_noarg(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        GEN.seed()
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)

    return checkpoint(region, x, use_reentrant=False)


def seed_arg(x: Tensor) -> Tensor:
    def region(h: Tensor, seed):
        GEN.manual_seed(seed)
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)

    return checkpoint(region, x, 3, use_reentrant=False)


def seed_conditional(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        if h.dim() == 3:
            GEN.manual_seed(3)
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)

    return checkpoint(region, x, use_reentrant=False)
"""
)
FORMS = {n.name for n in ast.parse(DRAWS).body if isinstance(n, ast.FunctionDef)} - {"draw"}


def test_draws_that_change_the_gradients_are_reported() -> None:
    assert set(reported(DRAWS, "TBR203")) == {name for name in FORMS if differs(DRAWS, name)}
