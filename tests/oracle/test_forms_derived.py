"""TBR407, TBR503: what differentiates a function that checkpoints inside: reported if, and only if, it is refused."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning"),
]

TRANSFORMED = (
    HEAD
    + """
from functools import partial

import torch.func
from torch.func import functional_call, grad, grad_and_value, jacrev


def square(h: Tensor) -> Tensor:
    return A(h).square()


def loss(h: Tensor) -> Tensor:
    return checkpoint(square, h, use_reentrant=False).sum()


def decorated(x: Tensor) -> Tensor:
    @grad
    def inner(h: Tensor) -> Tensor:
        return checkpoint(square, h, use_reentrant=False).sum()
    return inner(x)


def by_path(x: Tensor) -> Tensor:
    @torch.func.grad
    def inner(h: Tensor) -> Tensor:
        return loss(h) * 2
    return inner(x)


def by_partial(x: Tensor) -> Tensor:
    @partial(grad, argnums=0)
    def inner(h: Tensor) -> Tensor:
        return checkpoint(square, h, use_reentrant=False).sum()
    return inner(x)


def with_value(x: Tensor) -> Tensor:
    @grad_and_value
    def inner(h: Tensor) -> Tensor:
        return checkpoint(square, h, use_reentrant=False).sum()
    return inner(x)[0]


def jacobian(x: Tensor) -> Tensor:
    @jacrev
    def inner(h: Tensor) -> Tensor:
        return checkpoint(square, h, use_reentrant=False).sum(0)
    return inner(x)


def plain(x: Tensor) -> Tensor:
    @grad
    def inner(h: Tensor) -> Tensor:
        return square(h).sum()
    return inner(x)


def by_keyword(x: Tensor) -> Tensor:
    return grad(func=loss)(x)


def bound(x: Tensor) -> Tensor:
    derived = partial(grad, argnums=0)
    return derived(loss)(x)


def left_off(x: Tensor) -> Tensor:
    def inner(h: Tensor, saves: bool = False) -> Tensor:
        return (checkpoint(square, h, use_reentrant=False) if saves else square(h)).sum()
    return grad(inner)(x)


def switched_on(x: Tensor) -> Tensor:
    def inner(h: Tensor, saves: bool = True) -> Tensor:
        if saves:
            return checkpoint(square, h, use_reentrant=False).sum()
        return square(h).sum()
    return grad(inner)(x)


def region(x: Tensor) -> Tensor:
    @grad
    def inner(h: Tensor) -> Tensor:
        return square(h).sum()
    return checkpoint(inner, x, use_reentrant=False)


def region_below(x: Tensor) -> Tensor:
    @grad
    def inner(h: Tensor) -> Tensor:
        return square(h).sum()
    return checkpoint(lambda h: inner(h) * h, x, use_reentrant=False)


def reentrant_region(x: Tensor) -> Tensor:
    @grad
    def inner(h: Tensor) -> Tensor:
        return square(h).sum()
    return checkpoint(inner, x, use_reentrant=True)
"""
)

BY_INPUTS = (
    HEAD
    + """
import torch.autograd.functional as AF
from torch.autograd import gradcheck
from torch.autograd.functional import hessian, jacobian

D = nn.Linear(4, 4).double()


def square(h: Tensor) -> Tensor:
    return A(h).square()


class Critic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, h: Tensor) -> Tensor:
        return checkpoint(self.body, h, use_reentrant=True).square()


CRITIC = Critic()


def a_lambda(x: Tensor) -> Tensor:
    return jacobian(lambda h: checkpoint(square, h, use_reentrant=True), x, create_graph=True).sum((0, 1))


def nonreentrant(x: Tensor) -> Tensor:
    return jacobian(lambda h: checkpoint(square, h, use_reentrant=False), x, create_graph=True).sum((0, 1))


def second(x: Tensor) -> Tensor:
    return hessian(lambda h: checkpoint(square, h, use_reentrant=True).sum(), x, create_graph=True).sum((0, 1))


def vector(x: Tensor) -> Tensor:
    run = lambda h: checkpoint(square, h, use_reentrant=True)
    return AF.vjp(run, x, torch.ones_like(x), create_graph=True)[1]


def forward_vector(x: Tensor) -> Tensor:
    run = lambda h: checkpoint(square, h, use_reentrant=True)
    return AF.jvp(run, x, torch.ones_like(x), create_graph=True)[1]


def hessian_vector(x: Tensor) -> Tensor:
    run = lambda h: checkpoint(square, h, use_reentrant=True).sum()
    return AF.hvp(run, x, torch.ones_like(x), create_graph=True)[1]


def vector_hessian(x: Tensor) -> Tensor:
    run = lambda h: checkpoint(square, h, use_reentrant=True).sum()
    return AF.vhp(run, x, torch.ones_like(x), create_graph=True)[1]


def by_keyword(x: Tensor) -> Tensor:
    def run(h: Tensor) -> Tensor:
        return checkpoint(square, h, use_reentrant=True).sum()
    return jacobian(func=run, inputs=x, create_graph=True)


def bound(x: Tensor) -> Tensor:
    def run(factor: float, h: Tensor) -> Tensor:
        return checkpoint(square, h, use_reentrant=True).sum() * factor
    return functools.partial(jacobian, create_graph=True)(functools.partial(run, 2.0), x)


def modules(x: Tensor) -> Tensor:
    return jacobian(CRITIC, x, create_graph=True).sum((0, 1))


def checked(x: Tensor) -> Tensor:
    gradcheck(lambda h: checkpoint(D, h, use_reentrant=True), x.detach().double().requires_grad_())
    return x * 2


def checked_nonreentrant(x: Tensor) -> Tensor:
    gradcheck(lambda h: checkpoint(D, h, use_reentrant=False), x.detach().double().requires_grad_())
    return x * 2


def left_alone(x: Tensor) -> Tensor:
    run = lambda h: h * checkpoint(square, x, use_reentrant=True).detach()
    return jacobian(run, x, create_graph=True).sum((0, 1)) * x
"""
)


def test_transformations() -> None:
    agree(TRANSFORMED, "TBR407")


def test_derivatives_by_inputs() -> None:
    agree(BY_INPUTS, "TBR503")
