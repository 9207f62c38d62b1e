"""TBR504: containers that a reentrant region gives, handed on to functions, callers and lists before they are used."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HANDED = (
    HEAD
    + """
import types


def region(h: Tensor):
    h = A(h).tanh()
    return h, {"a": h * 2}


def region_list(h: Tensor):
    h = A(h).tanh()
    return h, [h * 2, h * 3]


def region_plain(h: Tensor):
    h = A(h).tanh()
    return h, h * 2


def returned_first(x: Tensor) -> Tensor:
    return first(checkpoint(region, x, use_reentrant=True))


def first(both):
    return both[0]


def returned_unpack(x: Tensor) -> Tensor:
    return total(checkpoint(region_list, x, use_reentrant=True))


def total(both):
    out, extra = both
    return out + sum(extra)


def returned_named(x: Tensor) -> Tensor:
    both = checkpoint(region_list, x, use_reentrant=True)
    return total2(both)


def total2(both):
    out, extra = both
    return out + sum(extra)


def starred(x: Tensor) -> Tensor:
    both = checkpoint(region_list, x, use_reentrant=True)
    return total3(*both)


def total3(out, extra):
    return out + sum(extra)


def kw(x: Tensor) -> Tensor:
    both = checkpoint(region_list, x, use_reentrant=True)
    return total4(both=both)


def total4(both):
    return both[0] + both[1][0]


def only_logged(x: Tensor) -> Tensor:
    both = checkpoint(region_list, x, use_reentrant=True)
    log(both)
    return both[0]


def log(both):
    len(both[1])


def plain_tuple(x: Tensor) -> Tensor:
    return total5(checkpoint(region_plain, x, use_reentrant=True))


def total5(both):
    return both[0] + both[1]


def method(x: Tensor) -> Tensor:
    return NETM(x)


class Netm(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
    def inner(self, h: Tensor):
        h = self.body(h)
        return h, {"a": h.tanh()}
    def join(self, both):
        h, extra = both
        return h + extra["a"]
    def forward(self, x: Tensor):
        return self.join(checkpoint(self.inner, x, use_reentrant=True))


NETM = Netm()


def two_deep(x: Tensor) -> Tensor:
    return outerj(checkpoint(region, x, use_reentrant=True))


def outerj(both):
    return innerj(both)


def innerj(both):
    return both[0] + both[1]["a"]


def element_to_helper(x: Tensor) -> Tensor:
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + take(extra)


def take(e): return e["a"]


def values_helper(x: Tensor) -> Tensor:
    out, extra = checkpoint(region, x, use_reentrant=True)
    for v in extra.values():
        out = add(out, v)
    return out


def add(a, b): return a + b


def star_unpack(x: Tensor) -> Tensor:
    out, *rest = checkpoint(region_list, x, use_reentrant=True)
    return out + rest[0][0]


def negative(x: Tensor) -> Tensor:
    both = checkpoint(region_list, x, use_reentrant=True)
    return both[0] + both[-1][0]


def pop_form(x: Tensor) -> Tensor:
    both = list(checkpoint(region_list, x, use_reentrant=True))
    return both[0] + both[1][0]


def ordered(x: Tensor) -> Tensor:
    def r(h: Tensor):
        return collections.OrderedDict(h=A(h).tanh())
    d = checkpoint(r, x, use_reentrant=True)
    return d["h"] * 2


def defaultd(x: Tensor) -> Tensor:
    def r(h: Tensor):
        d = collections.defaultdict(list)
        d["h"].append(A(h).tanh())
        return d
    d = checkpoint(r, x, use_reentrant=True)
    return d["h"][0] * 2


def simple_ns(x: Tensor) -> Tensor:
    def r(h: Tensor):
        return types.SimpleNamespace(h=A(h).tanh())
    return checkpoint(r, x, use_reentrant=True).h * 2


def plain_class(x: Tensor) -> Tensor:
    def r(h: Tensor):
        return Box(A(h).tanh())
    return checkpoint(r, x, use_reentrant=True).h * 2


class Box:
    def __init__(self, h: Tensor): self.h = h


def splitted(x: Tensor) -> Tensor:
    def r(h: Tensor):
        return A(h).tanh().split(2, -1)
    a, b = checkpoint(r, x, use_reentrant=True)
    return torch.cat([a, b], -1)


def unbound(x: Tensor) -> Tensor:
    def r(h: Tensor):
        return list(A(h).tanh().unbind(-1))
    return torch.stack(checkpoint(r, x, use_reentrant=True), -1)


def second(both):
    return both[1]["a"]


def back(x: Tensor) -> Tensor:
    return second(checkpoint(region, x, use_reentrant=True)) * 2


def values_helper2(x: Tensor) -> Tensor:
    out, extra = checkpoint(region, x, use_reentrant=True)
    return add2(out, extra["a"])


def add2(a, b): return a + b


def loop_form(x: Tensor) -> Tensor:
    total = 0.0
    for _ in range(2):
        x, extra = checkpoint(region, x, use_reentrant=True)
        total = total + extra["a"]
    return x + total


def append_form(x: Tensor) -> Tensor:
    extras = []
    for _ in range(2):
        x, extra = checkpoint(region, x, use_reentrant=True)
        extras.append(extra["a"])
    return x + sum(extras)


def append_stack(x: Tensor) -> Tensor:
    extras = []
    for _ in range(2):
        x, extra = checkpoint(region, x, use_reentrant=True)
        extras.append(extra)
    return x + torch.stack([e["a"] for e in extras]).sum(0)


def tern(x: Tensor) -> Tensor:
    both = checkpoint(region, x, use_reentrant=True) if x.requires_grad else region(x)
    return both[0] + both[1]["a"]


def walrus(x: Tensor) -> Tensor:
    if (both := checkpoint(region, x, use_reentrant=True)) is not None:
        return both[0] + both[1]["a"]
    return x


def loss_dict(x: Tensor) -> Tensor:
    def r(h: Tensor):
        h = A(h).tanh()
        return h, {"aux": h.mean(), "n": 3}
    out, losses = checkpoint(r, x, use_reentrant=True)
    loss = out.sum()
    for k in losses:
        loss = loss + losses[k]
    return loss


def total_sum(x: Tensor) -> Tensor:
    def r(h: Tensor):
        h = A(h).tanh()
        return h, [h.mean()]
    out, losses = checkpoint(r, x, use_reentrant=True)
    return out + torch.stack(losses).sum()


def total_of(x: Tensor) -> Tensor:
    def r(h: Tensor):
        h = A(h).tanh()
        return h, [h.mean()]
    out, losses = checkpoint(r, x, use_reentrant=True)
    return out + summed(losses)


def summed(losses):
    found = 0.0
    for loss in losses:
        found = found + loss
    return found


def looked_up(x: Tensor) -> Tensor:
    def run(h: Tensor):
        return checkpoint(region, h, use_reentrant=True)
    out, extra = run(x)
    return out + extra["a"]


def looked_up_whole(x: Tensor) -> Tensor:
    def run(h: Tensor):
        both = checkpoint(region, h, use_reentrant=True)
        return both
    both = run(x)
    return both[0] + both[1]["a"]


def looked_up_first(x: Tensor) -> Tensor:
    def run(h: Tensor):
        return checkpoint(region, h, use_reentrant=True)
    out, _ = run(x)
    return out


def looked_up_extra(x: Tensor) -> Tensor:
    def run(h: Tensor):
        out, extra = checkpoint(region, h, use_reentrant=True)
        return out, extra
    out, extra = run(x)
    return out + extra["a"]


def by_lambda(x: Tensor) -> Tensor:
    join = lambda both: both[0] + both[1]["a"]
    return join(checkpoint(region, x, use_reentrant=True))


def collected_only(x: Tensor) -> Tensor:
    kept = []
    for _ in range(2):
        x, extra = checkpoint(region, x, use_reentrant=True)
        kept.append(extra)
    return x
"""
)


def test_containers() -> None:
    agree(HANDED, "TBR504")
