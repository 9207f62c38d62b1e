"""TBR407: transformations of torch.func around checkpoints and inside of them: reported if, and only if, they raise."""

from __future__ import annotations

import ast

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

TRANSFORMS = """
import torch
from torch import Tensor, nn
from torch.func import grad, vjp, jacrev, jacfwd, hessian, jvp, vmap, functional_call, grad_and_value
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


A = nn.Linear(3, 3)


def inner(x: Tensor):
    return torch.tanh(A(x)).sin()


def loss(x: Tensor):
    return checkpoint(inner, x, use_reentrant=False).sum()


def loss_re(x: Tensor):
    return checkpoint(inner, x, use_reentrant=True).sum()


def plainloss(x: Tensor):
    return inner(x).sum()


def out(x: Tensor):
    return checkpoint(inner, x, use_reentrant=False)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.chain = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))

    def run(self, x: Tensor):
        return self.fc(x).tanh()

    def forward(self, x: Tensor):
        return checkpoint(self.run, x, use_reentrant=False).sum()


NET = Net()


def by_grad(x: Tensor):
    return grad(loss)(x)


def grad_re(x: Tensor):
    return grad(loss_re)(x)


def plain(x: Tensor):
    return grad(plainloss)(x)


def by_vjp(x: Tensor):
    value, pull = vjp(loss, x)
    return pull(torch.ones(()))


def vjp_re(x: Tensor):
    value, pull = vjp(loss_re, x)
    return pull(torch.ones(()))


def by_jacrev(x: Tensor):
    return jacrev(out)(x)


def by_jacfwd(x: Tensor):
    return jacfwd(out)(x)


def by_hessian(x: Tensor):
    return hessian(loss)(x)


def by_jvp(x: Tensor):
    return jvp(loss, (x,), (x,))


def by_vmap(x: Tensor):
    return vmap(loss)(x[None])


def by_lambda(x: Tensor):
    return grad(lambda y: checkpoint(inner, y, use_reentrant=False).sum())(x)


def net(x: Tensor):
    return grad(lambda y: NET(y))(x)


def functional(x: Tensor):
    def of(params):
        return functional_call(NET, params, (x,))
    return grad(of)(dict(NET.named_parameters()))


def value(x: Tensor):
    return grad_and_value(loss)(x)


def assigned(x: Tensor):
    g = grad(loss)
    return g(x)


def autograd(x: Tensor):
    return torch.autograd.grad(loss(x.requires_grad_()), x)


def functional_api(x: Tensor):
    return torch.autograd.functional.jacobian(out, x)


def inside(x: Tensor):
    def region(y):
        return grad(plainloss)(y).sin()

    return checkpoint(region, x.requires_grad_(), use_reentrant=False)


def inside_reentrant(x: Tensor):
    def region(y):
        return grad(plainloss)(y).sin()

    return checkpoint(region, x.requires_grad_(), use_reentrant=True)


def inside_forward_mode(x: Tensor):
    return checkpoint(lambda y: jacfwd(inner)(y).sin(), x.requires_grad_(), use_reentrant=False)


def inside_helper(x: Tensor):
    return checkpoint(by_plain_vjp, x.requires_grad_(), use_reentrant=False)


def by_plain_vjp(x: Tensor):
    _, pull = vjp(plainloss, x)
    return pull(torch.ones(()))[0]


def seq(x: Tensor):
    return grad(lambda y: checkpoint_sequential(NET.chain, 2, y, use_reentrant=False).sum())(x)
"""
HELPERS = {"inner", "loss", "loss_re", "plainloss", "out"}
FORMS = sorted({n.name for n in ast.parse(TRANSFORMS).body if isinstance(n, ast.FunctionDef)} - HELPERS)


def test_what_raises_is_reported() -> None:
    with loaded(TRANSFORMS) as module:
        wrong = {name for name in FORMS if observe(getattr(module, name), torch.ones(3)).error is not None}
    assert {"by_grad", "vjp_re", "inside"} <= wrong
    assert set(reported(TRANSFORMS, "TBR407")) == wrong
