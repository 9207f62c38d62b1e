"""TBR511: numbers of segments and of functions by any spelling: reported where `checkpoint_sequential` raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, forms, raised, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
from torch.utils.checkpoint import checkpoint_sequential as split

CHAIN = nn.Sequential(A, nn.Tanh(), B)


def n_plus(x: Tensor) -> Tensor:
    return split(CHAIN, len(CHAIN) + 1, x, use_reentrant=False)


def exact(x: Tensor) -> Tensor:
    return split(CHAIN, len(CHAIN), x, use_reentrant=False)


def more(x: Tensor) -> Tensor:
    return split(CHAIN, 5, x, use_reentrant=False)


def slice_(x: Tensor) -> Tensor:
    return split(CHAIN[:2], 3, x, use_reentrant=False)


def slice_ok(x: Tensor) -> Tensor:
    return split(CHAIN[:2], 2, x, use_reentrant=False)


def children(x: Tensor) -> Tensor:
    return split(list(CHAIN.children()), 4, x, use_reentrant=False)


def children_ok(x: Tensor) -> Tensor:
    return split(list(CHAIN.children()), 3, x, use_reentrant=False)


def children_seq(x: Tensor) -> Tensor:
    return split(nn.Sequential(*CHAIN.children()), 4, x, use_reentrant=False)


def children_slice(x: Tensor) -> Tensor:
    return split(list(CHAIN.children())[:-1], 3, x, use_reentrant=False)


def children_slice1(x: Tensor) -> Tensor:
    return split(list(CHAIN.children())[1:], 2, x, use_reentrant=False)


def minus(x: Tensor) -> Tensor:
    return split(CHAIN, len(CHAIN) - 1, x, use_reentrant=False)


def times(x: Tensor) -> Tensor:
    return split(CHAIN, 2 * len(CHAIN), x, use_reentrant=False)


def maxed(x: Tensor) -> Tensor:
    return split(CHAIN, max(4, 1), x, use_reentrant=False)


def mined(x: Tensor) -> Tensor:
    return split(CHAIN, min(4, len(CHAIN)), x, use_reentrant=False)


def zero(x: Tensor) -> Tensor:
    return split(CHAIN, 0, x, use_reentrant=False)


def zero_div(x: Tensor) -> Tensor:
    return split(CHAIN, len(CHAIN) // 4, x, use_reentrant=False)


class Netn(nn.Module):

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.n = 3

    def forward(self, x: Tensor) -> Tensor:
        return split(self.net, self.n, x, use_reentrant=False)


def attr_n(x: Tensor) -> Tensor:
    return NETN(x)


class Netm(nn.Module):

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    def forward(self, x: Tensor) -> Tensor:
        return split(self.net[1:], 2, x, use_reentrant=False)


class Netk(nn.Module):

    def __init__(self):
        super().__init__()
        self.net = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x: Tensor) -> Tensor:
        return split(nn.Sequential(*self.net), len(self.net) + 1, x, use_reentrant=False)


NETN, NETM, NETK = (Netn(), Netm(), Netk())


def attr_m(x: Tensor) -> Tensor:
    return NETM(x)


def attr_k(x: Tensor) -> Tensor:
    return NETK(x)


def grown(x: Tensor) -> Tensor:
    layers = [A]
    layers.append(B)
    return split(nn.Sequential(*layers), 2, x, use_reentrant=False)


def grown2(x: Tensor) -> Tensor:
    layers = [A]
    layers += [B, C]
    return split(layers, 3, x, use_reentrant=False)


def grown3(x: Tensor) -> Tensor:
    chain = nn.Sequential(A)
    chain.add_module("b", B)
    return split(chain, 2, x, use_reentrant=False)


def starred(x: Tensor) -> Tensor:
    layers = [A, B]
    return split([*layers, C], 3, x, use_reentrant=False)


def starred_more(x: Tensor) -> Tensor:
    layers = [A, B]
    return split([*layers, C], 4, x, use_reentrant=False)


def aliased(x: Tensor) -> Tensor:
    chain = CHAIN
    n = len(chain) * 2
    return split(chain, n, x, use_reentrant=False)


class Nett(nn.Module):

    def __init__(self):
        super().__init__()
        self.net = nn.ModuleList([])
        for _ in range(3):
            self.net.append(nn.Linear(4, 4))

    def forward(self, x: Tensor) -> Tensor:
        return split(nn.Sequential(*self.net), 3, x, use_reentrant=False)


NETT = Nett()


def attr_t(x: Tensor) -> Tensor:
    return NETT(x)
"""
)


def test_what_cannot_be_split_is_reported() -> None:
    places = forms(FORMS)
    wrong = {place for name, place in places.items() if raised(FORMS, name).error is not None}
    assert 0 < len(wrong) < len(places)
    assert set(reported(FORMS, "TBR511")) == wrong
