"""TBR202: state that a region changes and asks: reported if, and only if, torch goes wrong with it."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

CHANGED = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n = 0
        self.seen = []
        self.on = False
        self.register_buffer("steps", torch.zeros(()))
        self.kinds = {"n": 0}


COUNT = {"n": 0}


GLOBAL = 0


class Attr(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        if self.n % 2 == 1:
            x = x.sin()
        return x.cos()


ATTR = Attr()


def attr(x: Tensor) -> Tensor:
    return checkpoint(ATTR, x, use_reentrant=False)


class Unread(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        return torch.tanh(A(x)).cos()


UNREAD = Unread()


def unread(x: Tensor) -> Tensor:
    return checkpoint(UNREAD, x, use_reentrant=False)


class Buffer(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.steps += 1
        x = torch.tanh(A(x))
        if self.steps % 2 == 1:
            x = x.sin()
        return x.cos()


BUFFER = Buffer()


def buffer(x: Tensor) -> Tensor:
    return checkpoint(BUFFER, x, use_reentrant=False)


class Ternary(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.on = not self.on
        return (torch.tanh(A(x)) if self.on else torch.sin(A(x))).cos()


TERNARY = Ternary()


def ternary(x: Tensor) -> Tensor:
    return checkpoint(TERNARY, x, use_reentrant=False)


class Length(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.seen.append(1)
        x = torch.tanh(A(x))
        if len(self.seen) == 1:
            x = x.sin()
        return x.cos()


LENGTH = Length()


def length(x: Tensor) -> Tensor:
    return checkpoint(LENGTH, x, use_reentrant=False)


class Item(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.kinds["n"] += 1
        x = torch.tanh(A(x))
        if self.kinds["n"] == 1:
            x = x.sin()
        return x.cos()


ITEM = Item()


def item(x: Tensor) -> Tensor:
    return checkpoint(ITEM, x, use_reentrant=False)


class While(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        for _ in range(self.n):
            x = x.sin()
        return x.cos()


WHILE = While()


def rounds(x: Tensor) -> Tensor:
    return checkpoint(WHILE, x, use_reentrant=False)


class First(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n = 0
        self.n += 1
        x = torch.tanh(A(x))
        if self.n == 1:
            x = x.sin()
        return x.cos()


FIRST = First()


def first(x: Tensor) -> Tensor:
    return checkpoint(FIRST, x, use_reentrant=False)


class Before(Net):
    def forward(self, x: Tensor) -> Tensor:
        x = torch.tanh(A(x))
        if self.n == 0:
            x = x.sin()
        return x.cos()

    def run(self, x: Tensor) -> Tensor:
        self.n += 1
        return checkpoint(self.forward, x, use_reentrant=False)


BEFORE = Before()


def outside(x: Tensor) -> Tensor:
    return BEFORE.run(x)


def by_dict(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        COUNT["n"] += 1
        h = torch.tanh(A(h))
        if COUNT["n"] == 1:
            h = h.sin()
        return h.cos()
    return checkpoint(region, x, use_reentrant=False)


def globalname(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        global GLOBAL
        GLOBAL += 1
        h = torch.tanh(A(h))
        if GLOBAL == 1:
            h = h.sin()
        return h.cos()
    return checkpoint(region, x, use_reentrant=False)


def by_nonlocal(x: Tensor) -> Tensor:
    n = 0
    def region(h: Tensor) -> Tensor:
        nonlocal n
        n += 1
        h = torch.tanh(A(h))
        return (h.sin() if n == 1 else h).cos()
    return checkpoint(region, x, use_reentrant=False)


def matched(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        COUNT["n"] += 1
        h = torch.tanh(A(h))
        match COUNT["n"]:
            case 1:
                h = h.sin()
        return h.cos()
    return checkpoint(region, x, use_reentrant=False)


def grad_mode(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h))
        if torch.is_grad_enabled():
            h = h.sin()
        return h.cos()

    return checkpoint(region, x, use_reentrant=True)


def grad_mode_kept(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h))
        if torch.is_grad_enabled():
            h = h.sin()
        return h.cos()

    return checkpoint(region, x, use_reentrant=False)


def asked_of_computed(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h))
        return (h.sin() if h.requires_grad else h).cos()

    return checkpoint(region, x, use_reentrant=True)


def asked_of_input(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        y = torch.tanh(A(h))
        return (y.sin() if h.requires_grad else y).cos()

    return checkpoint(region, x, use_reentrant=True)
"""
)


def test_tests_of_state_that_the_region_changes() -> None:
    agree(CHANGED, "TBR202")
