"""TBR509: the ways to what a reentrant region keeps, and what is computed of it: reported where gradients are lost."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
def two_lists(x: Tensor) -> Tensor:
    one, other = [], [x.mean()]
    y = checkpoint(fills, x, one, use_reentrant=True)
    return y + sum(other)


def fills(h: Tensor, losses):
    h = A(h).tanh()
    losses.append(h.mean())
    return h


def under_no_grad(x: Tensor) -> Tensor:
    kept = []
    y = checkpoint(fills_ng, x, kept, use_reentrant=True)
    return y + sum(kept)


def fills_ng(h: Tensor, losses):
    h = A(h).tanh()
    with torch.no_grad():
        losses.append(h.mean())
    return h


def read_no_grad(x: Tensor) -> Tensor:
    kept = []
    y = checkpoint(fills, x, kept, use_reentrant=True)
    with torch.no_grad():
        STATE["n"] = torch.stack(kept).sum().item() > -100
    return y


def loop(x: Tensor) -> Tensor:
    losses = []
    for _ in range(2):
        x = checkpoint(fills, x, losses, use_reentrant=True)
    return x + torch.stack(losses).sum()


def deeper(x: Tensor) -> Tensor:
    losses = []
    y = checkpoint(outer, x, losses, use_reentrant=True)
    return y + losses[0]


def outer(h: Tensor, acc):
    return inner(h, acc) * 2


def inner(h: Tensor, into):
    h = A(h).tanh()
    into.append(h.mean())
    return h


def callers(x: Tensor) -> Tensor:
    losses = []
    def run(h: Tensor, losses):
        return checkpoint(fills, h, losses, use_reentrant=True)
    y = run(x, losses)
    return y + losses[0]


def method_list(x: Tensor) -> Tensor:
    return NETM(x)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, h: Tensor, losses):
        h = self.body(h).tanh()
        losses.append(h.square().mean())
        return h


class Netm(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(), Layer()])

    def forward(self, x: Tensor):
        losses = []
        for layer in self.layers:
            x = checkpoint(layer, x, losses, use_reentrant=True)
        return x + sum(losses)


NETM = Netm()


def self_losses(x: Tensor) -> Tensor:
    return NETS(x)


class Nets(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def inner(self, h: Tensor):
        h = self.body(h).tanh()
        self.losses.append(h.mean())
        return h

    def forward(self, x: Tensor):
        self.losses = []
        y = checkpoint(self.inner, x, use_reentrant=True)
        return y + sum(self.losses)


NETS = Nets()


def lam(x: Tensor) -> Tensor:
    losses = []
    y = checkpoint(lambda h: fills(h, losses), x, use_reentrant=True)
    return y + sum(losses)


def augmented(x: Tensor) -> Tensor:
    losses = []
    y = checkpoint(fills_aug, x, losses, use_reentrant=True)
    return y + sum(losses)


def fills_aug(h: Tensor, losses):
    h = A(h).tanh()
    losses += [h.mean()]
    return h


def previous(x: Tensor) -> Tensor:
    return NETV(x)


class Netv(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.last = torch.ones(3, 4)

    def inner(self, h: Tensor):
        h = self.body(h).tanh()
        self.last = h.detach()
        return h

    def forward(self, x: Tensor):
        y = checkpoint(self.inner, x, use_reentrant=True)
        return y * self.last


NETV = Netv()


def scaled_after(x: Tensor) -> Tensor:
    return NETW(x)


class Netw(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def inner(self, h: Tensor):
        h = self.body(h).tanh()
        self.scale = h.abs().max().item()
        return h

    def forward(self, x: Tensor):
        y = checkpoint(self.inner, x, use_reentrant=True)
        return y * self.scale


NETW = Netw()


def helper_reads(x: Tensor) -> Tensor:
    return NETY(x)


class Nety(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def inner(self, h: Tensor):
        h = self.body(h).tanh()
        self._aux = h.mean()
        return h

    def losses(self):
        return self._aux * 2

    def forward(self, x: Tensor):
        y = checkpoint(self.inner, x, use_reentrant=True)
        return y + self.losses()


NETY = Nety()


def sum_over_layers(x: Tensor) -> Tensor:
    return NETZ(x)


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 4)

    def forward(self, h: Tensor):
        s = self.gate(h)
        self.aux = s.square().mean()
        return h * s


class Netz(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Router(), Router()])

    def forward(self, x: Tensor):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=True)
        return x + sum(layer.aux for layer in self.layers)


NETZ = Netz()


def int_count(x: Tensor) -> Tensor:
    counts = []
    y = checkpoint(count, x, counts, use_reentrant=True)
    return y * counts[0]


def count(h: Tensor, counts):
    h = A(h).tanh()
    counts.append(h.shape[0])
    return h


def replaced(x: Tensor) -> Tensor:
    kept = []
    y = checkpoint(fills, x, kept, use_reentrant=True)
    kept = [y.mean()]
    return y + kept[0]


def mask_int(x: Tensor) -> Tensor:
    kept = {}
    y = checkpoint(fills_idx, x, kept, use_reentrant=True)
    return y[kept["i"]]


def fills_idx(h: Tensor, kept):
    h = A(h).tanh()
    kept["i"] = h.sum(-1).argmax()
    return h
"""
)


def test_the_ways_to_what_a_region_keeps() -> None:
    agree(FORMS, "TBR509")
