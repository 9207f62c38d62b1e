"""TBR509: lists, dicts, attributes and names that a reentrant region fills: reported where gradients are lost."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
def arg_list(x: Tensor) -> Tensor:
    kept = []
    def region(h: Tensor, kept):
        h = A(h).tanh()
        kept.append(h.mean())
        return h
    y = checkpoint(region, x, kept, use_reentrant=True)
    return y + kept[0]


def arg_list_sum(x: Tensor) -> Tensor:
    kept = []
    y = checkpoint(fills, x, kept, use_reentrant=True)
    return y + sum(kept)


def fills(h: Tensor, losses):
    h = A(h).tanh()
    losses.append(h.mean())
    return h


def arg_list_unused(x: Tensor) -> Tensor:
    kept = []
    y = checkpoint(fills, x, kept, use_reentrant=True)
    return y


def arg_list_nonre(x: Tensor) -> Tensor:
    kept = []
    y = checkpoint(fills, x, kept, use_reentrant=False)
    return y + kept[0]


def arg_dict(x: Tensor) -> Tensor:
    kept = {}
    y = checkpoint(fills_dict, x, kept, use_reentrant=True)
    return y + kept["aux"]


def fills_dict(h: Tensor, extra):
    h = A(h).tanh()
    extra["aux"] = h.mean()
    return h


def arg_dict_update(x: Tensor) -> Tensor:
    kept = {}
    y = checkpoint(fills_update, x, kept, use_reentrant=True)
    return y + kept["aux"]


def fills_update(h: Tensor, extra):
    h = A(h).tanh()
    extra.update(aux=h.mean())
    return h


def arg_extend(x: Tensor) -> Tensor:
    kept = []
    y = checkpoint(fills_extend, x, kept, use_reentrant=True)
    return y + kept[0]


def fills_extend(h: Tensor, extra):
    h = A(h).tanh()
    extra.extend([h.mean()])
    return h


def arg_detached(x: Tensor) -> Tensor:
    kept = []
    y = checkpoint(fills_detached, x, kept, use_reentrant=True)
    return y + kept[0]


def fills_detached(h: Tensor, extra):
    h = A(h).tanh()
    extra.append(h.mean().detach())
    return h


def arg_object(x: Tensor) -> Tensor:
    kept = Bag()
    y = checkpoint(fills_object, x, kept, use_reentrant=True)
    return y + kept.aux


class Bag:
    pass


def fills_object(h: Tensor, bag):
    h = A(h).tanh()
    bag.aux = h.mean()
    return h


def self_list(x: Tensor) -> Tensor:
    return NETL(x)


class Netl(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def inner(self, h: Tensor, losses):
        h = self.body(h).tanh()
        losses.append(h.mean())
        return h

    def forward(self, x: Tensor):
        losses = []
        y = checkpoint(self.inner, x, losses, use_reentrant=True)
        return y + torch.stack(losses).sum()


NETL = Netl()


def aux_forward(x: Tensor) -> Tensor:
    return NETA(x)


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 4)

    def forward(self, h: Tensor):
        s = self.gate(h)
        self.aux = s.square().mean()
        return h * s


class Neta(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = Router()

    def forward(self, x: Tensor):
        y = checkpoint(self.router, x, use_reentrant=True)
        return y + self.router.aux


NETA = Neta()


def aux_forward_log(x: Tensor) -> Tensor:
    return NETB(x)


class Netb(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = Router()

    def forward(self, x: Tensor):
        y = checkpoint(self.router, x, use_reentrant=True)
        STATE["aux"] = float(self.router.aux.detach())
        return y


NETB = Netb()


def aux_tuple(x: Tensor) -> Tensor:
    y, aux = NETC(x)
    return y + aux


class Netc(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = Router()

    def forward(self, x: Tensor):
        y = checkpoint(self.router, x, use_reentrant=True)
        return y, self.router.aux


NETC = Netc()


def closure_list(x: Tensor) -> Tensor:
    kept = []
    def region(h: Tensor):
        h = A(h).tanh()
        kept.append(h.mean())
        return h
    y = checkpoint(region, x, use_reentrant=True)
    return y + kept[0]


def closure_list_loss(x: Tensor) -> Tensor:
    kept = []
    def region(h: Tensor):
        h = A(h).tanh()
        kept.append(h.mean())
        return h
    y = checkpoint(region, x, use_reentrant=True)
    loss = y.sum() + sum(kept)
    loss.backward(retain_graph=True)
    return y * x


def nonlocal_name(x: Tensor) -> Tensor:
    aux = 0.0
    def region(h: Tensor):
        nonlocal aux
        h = A(h).tanh()
        aux = h.mean()
        return h
    y = checkpoint(region, x, use_reentrant=True)
    return y + aux


def global_state(x: Tensor) -> Tensor:
    y = checkpoint(into_state, x, use_reentrant=True)
    return y + STATE2["aux"]


STATE2 = {}


def into_state(h: Tensor):
    h = A(h).tanh()
    STATE2["aux"] = h.mean()
    return h


def setattr_form(x: Tensor) -> Tensor:
    return NETS(x)


class Nets(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def inner(self, h: Tensor):
        h = self.body(h).tanh()
        setattr(self, "aux", h.mean())
        return h

    def forward(self, x: Tensor):
        y = checkpoint(self.inner, x, use_reentrant=True)
        return y + self.aux


NETS = Nets()
"""
)


def test_what_a_region_fills() -> None:
    agree(FORMS, "TBR509")
