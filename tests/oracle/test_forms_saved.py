"""TBR512: what a home-made checkpoint is handed: reported if, and only if, `save_for_backward` refuses it."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, forms, raised, reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

SAVED = (
    HEAD
    + """
from dataclasses import dataclass


@dataclass
class Mask:
    index: Tensor


class Recompute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, *args):
        ctx.function = function
        ctx.save_for_backward(*args)
        with torch.no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx, grad):
        args = [a.detach().requires_grad_() for a in ctx.saved_tensors]
        with torch.enable_grad():
            torch.autograd.backward(ctx.function(*args), grad)
        return None, *(a.grad for a in args)


def masked(a: Tensor, mask):
    return a * mask.index


def scaled(a: Tensor, k):
    return a * k


def prod(a: Tensor, b: Tensor):
    return a * b


def direct(x: Tensor) -> Tensor:
    return Recompute.apply(masked, x, Mask(torch.ones(4)))


def number(x: Tensor) -> Tensor:
    return Recompute.apply(scaled, x, 2.0)


def tensors(x: Tensor) -> Tensor:
    return Recompute.apply(prod, x, x * 2)


def aliased(x: Tensor) -> Tensor:
    run = Recompute.apply
    return run(scaled, x, 2.0)


def starlist(x: Tensor) -> Tensor:
    args = [x, 2.0]
    return Recompute.apply(scaled, *args)


def startuple(x: Tensor) -> Tensor:
    args = (x, 2.0)
    return Recompute.apply(scaled, *args)


def startensors(x: Tensor) -> Tensor:
    args = (x, x * 2)
    return Recompute.apply(prod, *args)


def lst(x: Tensor) -> Tensor:
    return Recompute.apply(lambda a, l: a * l[0], x, [x.detach()])


def attribute(x: Tensor) -> Tensor:
    return NETQ(x)


class Netq(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0

    def forward(self, x: Tensor):
        return Recompute.apply(scaled, x, self.scale)


NETQ = Netq()


def attribute_t(x: Tensor) -> Tensor:
    return NETR(x)


class Netr(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x: Tensor):
        return Recompute.apply(prod, x, self.scale)


NETR = Netr()


def lam(x: Tensor) -> Tensor:
    run = lambda f, *a: Recompute.apply(f, *a)
    return run(scaled, x, 3)


def shape(x: Tensor) -> Tensor:
    return Recompute.apply(scaled, x, x.shape[0])


def item(x: Tensor) -> Tensor:
    return Recompute.apply(scaled, x, x.max().item())


def flag(x: Tensor) -> Tensor:
    return Recompute.apply(lambda a, t: a * 2 if t else a, x, True)


def string(x: Tensor) -> Tensor:
    return Recompute.apply(lambda a, t: a * 2, x, "fast")


class Named(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, inp, scale):
        ctx.function = function
        ctx.save_for_backward(inp, scale)
        with torch.no_grad():
            return function(inp, scale)

    @staticmethod
    def backward(ctx, grad):
        inp, scale = ctx.saved_tensors
        inp = inp.detach().requires_grad_()
        with torch.enable_grad():
            out = ctx.function(inp, scale)
        torch.autograd.backward(out, grad)
        return None, inp.grad, None


def named_slots(x: Tensor) -> Tensor:
    return Named.apply(scaled, x, 2.0)


class Lst(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, *args):
        saved = list(args)
        ctx.function = function
        ctx.save_for_backward(*saved)
        with torch.no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx, grad):
        args = [a.detach().requires_grad_() for a in ctx.saved_tensors]
        with torch.enable_grad():
            torch.autograd.backward(ctx.function(*args), grad)
        return None, *(a.grad for a in args)


def via_local(x: Tensor) -> Tensor:
    return Lst.apply(scaled, x, 2.0)


def rest(x: Tensor) -> Tensor:
    def again(function, *rest):
        return Recompute.apply(function, *rest)
    return again(scaled, x, 2.0)


def rest_of_tensors(x: Tensor) -> Tensor:
    def again(function, *rest):
        return Recompute.apply(function, *rest)
    return again(prod, x, x * 2)


def rest_after(x: Tensor) -> Tensor:
    def again(function, kind, *rest):
        return Recompute.apply(function, *rest)
    return again(prod, "fast", x, x * 2)


def parameter(x: Tensor) -> Tensor:
    def again(x, k):
        return Recompute.apply(scaled, x, k)
    return again(x, 2.0)


def parameter_tensor(x: Tensor) -> Tensor:
    def again(x, k):
        return Recompute.apply(prod, x, k)
    return again(x, x * 2)


def parameter_object(x: Tensor) -> Tensor:
    def again(x, mask):
        return Recompute.apply(masked, x, mask)
    return again(x, Mask(torch.ones(4)))


class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, x, factor):
        ctx.function, ctx.factor = function, factor
        ctx.save_for_backward(x)
        with torch.no_grad():
            return function(x, factor)

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            torch.autograd.backward(ctx.function(x, ctx.factor), grad)
        return None, x.grad, None


def kept(x: Tensor) -> Tensor:
    def again(*rest):
        return Kept.apply(scaled, *rest)
    return again(x, 2.0)
"""
)


def test_what_is_saved() -> None:
    places = forms(SAVED)
    refused = {place for name, place in places.items() if raised(SAVED, name).kind == "TypeError"}
    assert 0 < len(refused) < len(places)
    assert set(reported(SAVED, "TBR512")) == refused
