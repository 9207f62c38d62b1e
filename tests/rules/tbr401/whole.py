"""Regions in full view: without attention a kernel's scope bears on nothing; one call that is not seen may attend."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce, wraps
from typing import Any

import torch
import torch.nn.functional as F
from elsewhere import Block, helper
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from .layers import Gate, Mixer, Scaling, gated, within

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}
MORE = {"relu": F.relu, "own": helper}


def doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def inner(x: torch.Tensor) -> Any:
        return F.scaled_dot_product_attention(function(x), x, x)

    return inner


@doubled
def decorated(x: torch.Tensor) -> torch.Tensor:
    return x.relu()


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad * ctx.saved_tensors[0]


class Heads(nn.MultiheadAttention):
    def forward(self, x):
        return super().forward(x, x, x)[0]


class Net(nn.Module):
    def __init__(self, dim: int, act: nn.Module | None = None, kind: str = "linear") -> None:
        super().__init__()
        self.linear = nn.Linear(dim, dim)
        self.chain = nn.Sequential(nn.Linear(dim, dim), nn.Sequential(nn.ReLU(), Gate(dim)), nn.Dropout(0.1))
        self.layers = nn.ModuleList([nn.Linear(dim, dim) for _ in range(4)])
        self.mixed = nn.ModuleList([nn.Linear(dim, dim), nn.MultiheadAttention(dim, 4)])
        self.foreign = Block(dim)
        self.act = act or nn.ReLU()
        self.kind = kind
        self.gate = Gate(dim)
        self.scale = nn.Parameter(torch.ones(dim))
        self.encoder = nn.TransformerEncoderLayer(dim, 4)

    def plain(self, x):
        x = self.linear(x) * self.scale
        for layer in self.layers:
            x = layer(x)
        return self.gate(self.chain(x)).sum(-1, keepdim=True).to(x.dtype)

    def listed(self, x):
        for layer in self.mixed:
            x = layer(x)
        return x

    def activated(self, x):
        return self.act(x)

    def chosen(self, x):
        return getattr(self, self.kind)(x)

    def named(self, x):
        return getattr(self, "linear")(x)  # noqa: B009

    def imported(self, x):
        return self.foreign(x)

    def encoded(self, x):
        return self.encoder(x)


def functions(x: torch.Tensor, weight: torch.Tensor, name: str, steps: list[Any]) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] the function of another file holds no attention
        a = checkpoint(gated, x, weight, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] the same behind a partial and a lambda
        b = checkpoint(lambda h: partial(gated, weight=weight)(h).relu(), x, use_reentrant=True)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] a function of torch
        c = checkpoint(torch.tanh, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] a custom function in view
        d = checkpoint(Square.apply, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] every function of the table is an activation
        e = checkpoint(lambda h: ACTIVATIONS[name](h), x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] what `map` runs is a function of torch
        f = checkpoint(lambda h: sum(map(torch.sin, h.unbind())), x, use_reentrant=False)
    (a + b + c + d + e + f).sum().backward()

    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        a = checkpoint(within, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        b = checkpoint(helper, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        c = checkpoint(lambda h: helper(h), x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        d = checkpoint(lambda h: MORE[name](h), x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        e = checkpoint(lambda h: reduce(lambda y, step: step(y), steps, h), x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        f = checkpoint(decorated, x, use_reentrant=False)
    (a + b + c + d + e + f).sum().backward()


def modules(net: Net, mixer: Mixer, scaling: Scaling, heads: Heads, x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] linear layers, a gate of another file, a property
        a = checkpoint(net.plain, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] a chain of layers without attention
        b = checkpoint(net.chain, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] its segments
        c = checkpoint_sequential(net.chain, 2, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] the attribute is named
        d = checkpoint(net.named, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] a method that no class in view takes the place of
        e = checkpoint(scaling, x, use_reentrant=False)
    (a + b + c + d + e).sum().backward()

    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        a = checkpoint(net.listed, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        b = checkpoint(net.activated, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        c = checkpoint(net.chosen, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        d = checkpoint(net.imported, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        e = checkpoint(net.encoded, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        f = checkpoint(mixer, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        g = checkpoint(heads, x, use_reentrant=False)
    (a + b + c + d + e + f + g).sum().backward()


def handed(step: Callable[..., Any], block: nn.Module, x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        a = checkpoint(step, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        b = checkpoint(block, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        c = checkpoint(lambda h: step(h), x, use_reentrant=False)
    (a + b + c).sum().backward()


def handing(x: torch.Tensor) -> None:
    """The caller in view hands over a plain function; others may hand over any."""
    handed(torch.tanh, nn.Linear(4, 4), x)


def recomputed(function: Callable[..., Any], *args: Any) -> Any:
    return checkpoint(function, *args, use_reentrant=False)


def behind(net: Net, x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] what this call hands on holds no attention
        a = recomputed(net.linear, x)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        b = recomputed(net.encoder, x)
    (a + b).sum().backward()


def settled(x: torch.Tensor) -> torch.Tensor:
    """The region chooses the kernel itself, whatever is open around it."""
    with sdpa_kernel(SDPBackend.MATH):
        return helper(F.scaled_dot_product_attention(x, x, x))


@sdpa_kernel(SDPBackend.MATH)
def settled_too(x: torch.Tensor) -> torch.Tensor:
    return within(x)


def half_settled(x: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel(SDPBackend.MATH):
        x = within(x)
    return within(x)


def chosen_inside(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] the region opens the same kind of scope itself
        a = checkpoint(settled, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] the same by a decorator
        b = checkpoint(settled_too, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        c = checkpoint(half_settled, x, use_reentrant=False)
    (a + b + c).sum().backward()


def open_again(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] backward runs in a scope that chooses the same
        y = checkpoint(within, x, use_reentrant=False)
    with sdpa_kernel([SDPBackend.MATH]):
        y.sum().backward()


def open_otherwise(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        y = checkpoint(within, x, use_reentrant=False)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        y.sum().backward()
