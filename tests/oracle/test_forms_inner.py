"""TBR510, TBR511: what a region differentiates, and how many parts a chain has: reported where torch raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, forms, raised, reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

INNER = (
    HEAD
    + """
from torch.autograd import grad


def inner_grad(x: Tensor) -> Tensor:
    def r(h: Tensor):
        y = A(h).square()
        return y + torch.autograd.grad(y.sum(), h, create_graph=True)[0]
    return checkpoint(r, x, use_reentrant=True)


def inner_grad_alias(x: Tensor) -> Tensor:
    def r(h: Tensor):
        y = A(h).square()
        return y + grad(y.sum(), h, create_graph=True)[0]
    return checkpoint(r, x, use_reentrant=True)


def inner_non(x: Tensor) -> Tensor:
    def r(h: Tensor):
        y = A(h).square()
        return y + grad(y.sum(), h, create_graph=True)[0]
    return checkpoint(r, x, use_reentrant=False)


def inner_enabled(x: Tensor) -> Tensor:
    def r(h: Tensor):
        with torch.enable_grad():
            k = h.detach().requires_grad_()
            y = A(k).square()
            g = grad(y.sum(), k)[0]
        return A(h) + g.detach()
    return checkpoint(r, x, use_reentrant=True)


def inner_backward(x: Tensor) -> Tensor:
    def r(h: Tensor):
        k = h.detach().requires_grad_()
        k.square().sum().backward()
        return A(h) + k.grad
    return checkpoint(r, x, use_reentrant=True)


def retains(x: Tensor) -> Tensor:
    def r(h: Tensor):
        y = A(h)
        y.retain_grad()
        return y.tanh()
    return checkpoint(r, x, use_reentrant=True)


def hooks(x: Tensor) -> Tensor:
    def r(h: Tensor):
        y = A(h)
        y.register_hook(lambda g: g * 2)
        return y.tanh()
    return checkpoint(r, x, use_reentrant=True)


def hooks_guard(x: Tensor) -> Tensor:
    def r(h: Tensor):
        y = A(h)
        if y.requires_grad:
            y.register_hook(lambda g: g * 2)
        return y.tanh()
    return checkpoint(r, x, use_reentrant=True)


def helper_hook(x: Tensor) -> Tensor:
    def add(y: Tensor):
        y.register_hook(lambda g: g * 2)
        return y
    def r(h: Tensor):
        return add(A(h)).tanh()
    return checkpoint(r, x, use_reentrant=True)


def jac(x: Tensor) -> Tensor:
    def r(h: Tensor):
        return torch.autograd.functional.jacobian(lambda k: A(k).square().sum(), h, create_graph=True) + h
    return checkpoint(r, x, use_reentrant=True)


def decorated(x: Tensor) -> Tensor:
    @torch.enable_grad()
    def slope(h: Tensor):
        k = h.detach().requires_grad_()
        return grad(A(k).square().sum(), k)[0]
    def r(h: Tensor):
        return A(h) + slope(h)
    return checkpoint(r, x, use_reentrant=True)


def bound(x: Tensor) -> Tensor:
    g = functools.partial(torch.autograd.grad, create_graph=True)
    def r(h: Tensor):
        y = A(h).square()
        return y + g(y.sum(), h)[0]
    return checkpoint(r, x, use_reentrant=True)


def bw(x: Tensor) -> Tensor:
    def r(h: Tensor):
        y = A(h).square().sum()
        y.backward(retain_graph=True)
        return A(h)
    return checkpoint(r, x, use_reentrant=True)


def recorded_before(x: Tensor) -> Tensor:
    def r(h: Tensor) -> Tensor:
        with torch.enable_grad():
            k = h.detach().requires_grad_()
            loss = k.square().sum()
        loss.backward()
        return A(h) + k.grad
    return checkpoint(r, x, use_reentrant=True)


def by_function(x: Tensor) -> Tensor:
    def r(h: Tensor) -> Tensor:
        torch.autograd.backward(A(h).square().sum())
        return A(h)
    return checkpoint(r, x, use_reentrant=True)
"""
)
CHAINS = (
    HEAD
    + """
from torch.utils.checkpoint import checkpoint_sequential as cs
SEQ = nn.Sequential(A, B)


def ok(x: Tensor) -> Tensor:
    return cs(SEQ, 2, x, use_reentrant=False)


def many(x: Tensor) -> Tensor:
    return cs(SEQ, 3, x, use_reentrant=False)


def zero(x: Tensor) -> Tensor:
    return cs(SEQ, 0, x, use_reentrant=False)


def lst(x: Tensor) -> Tensor:
    return cs([A, B, C], 4, x, use_reentrant=False)


def kw(x: Tensor) -> Tensor:
    return cs(SEQ, segments=3, input=x, use_reentrant=False)


def named(x: Tensor) -> Tensor:
    n = 5
    return cs(SEQ, n, x, use_reentrant=False)


def length(x: Tensor) -> Tensor:
    return cs(SEQ, len(SEQ), x, use_reentrant=False)


def part(x: Tensor) -> Tensor:
    return functools.partial(cs, use_reentrant=False)(SEQ, 3, x)


def default(x: Tensor) -> Tensor:
    def run(h: Tensor, n=3):
        return cs(SEQ, n, h, use_reentrant=False)
    return run(x)


def passed(x: Tensor) -> Tensor:
    def run(h: Tensor, n):
        return cs(SEQ, n, h, use_reentrant=False)
    return run(x, 0)


def module(x: Tensor) -> Tensor:
    return NETM(x)


class Netm(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.segments = 4

    def forward(self, x: Tensor):
        return cs(self.body, self.segments, x, use_reentrant=False)


NETM = Netm()


def appended(x: Tensor) -> Tensor:
    s = nn.Sequential(A)
    s.append(B)
    return cs(s, 2, x, use_reentrant=False)


def clamp(x: Tensor) -> Tensor:
    return cs(SEQ, min(4, len(SEQ)), x, use_reentrant=False)


def ordered(x: Tensor) -> Tensor:
    return cs(nn.Sequential(collections.OrderedDict(a=A, b=B)), 3, x, use_reentrant=False)


def star(x: Tensor) -> Tensor:
    return cs(nn.Sequential(*[A, B]), 3, x, use_reentrant=False)
"""
)


@pytest.mark.parametrize(("source", "code"), [(INNER, "TBR510"), (CHAINS, "TBR511")])
def test_what_raises(source: str, code: str) -> None:
    places = forms(source)
    refused = {place for name, place in places.items() if raised(source, name).error is not None}
    assert 0 < len(refused) < len(places)
    assert set(reported(source, code)) == refused
