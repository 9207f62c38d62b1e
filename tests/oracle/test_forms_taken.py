"""TBR504: fields of named tuples, and containers in what comprehensions collect or attributes and items keep."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
from typing import NamedTuple


class Out(NamedTuple):
    h: Tensor
    aux: Tensor


def two(h: Tensor):
    y = A(h).tanh()
    return (y, y.square())


def nt(h: Tensor):
    y = A(h).tanh()
    return Out(y, y.square())


def nested(h: Tensor):
    y = A(h).tanh()
    return (y, [y.square()])


def keyed(h: Tensor):
    y = A(h).tanh()
    return {"h": y}


def nt_attr(x: Tensor):
    out = checkpoint(nt, x, use_reentrant=True)
    return out.h + out.aux


def nt_unpack(x: Tensor):
    h, aux = checkpoint(nt, x, use_reentrant=True)
    return h + aux


def nt_index(x: Tensor):
    out = checkpoint(nt, x, use_reentrant=True)
    return out[0] + out[1]


def nt_attr_non(x: Tensor):
    out = checkpoint(nt, x, use_reentrant=False)
    return out.h + out.aux


def nt_replace(x: Tensor):
    out = checkpoint(nt, x, use_reentrant=True)
    return out._replace(h=out[0] * 2)[0]


def nested_out(x: Tensor):
    h, extra = checkpoint(nested, x, use_reentrant=True)
    return h + extra[0]


def nested_only(x: Tensor):
    h, extra = checkpoint(nested, x, use_reentrant=True)
    return h + extra[0].detach()


def dict_out(x: Tensor):
    return checkpoint(keyed, x, use_reentrant=True)["h"]


def comp(x: Tensor):
    outs = [checkpoint(nested, h, use_reentrant=True) for h in (x, x * 2)]
    return sum((o[0] + o[1][0] for o in outs))


def comp3(x: Tensor):
    hs, extras = zip(*[checkpoint(nested, h, use_reentrant=True) for h in (x, x * 2)])
    return sum(hs) + sum((e[0] for e in extras))


def comp_two(x: Tensor):
    outs = [checkpoint(two, h, use_reentrant=True) for h in (x, x * 2)]
    return sum((o[0] + o[1] for o in outs))


class Extra(nn.Module):

    def __init__(self):
        super().__init__()
        self.extra = None

    def forward(self, x: Tensor):
        h, self.extra = checkpoint(nested, x, use_reentrant=True)
        return h + self.extra[0]


EXTRA = Extra()


def attr_target(x: Tensor):
    return EXTRA(x)


def sub_target(x: Tensor):
    d = {}
    d["h"], d["e"] = checkpoint(nested, x, use_reentrant=True)
    return d["h"] + d["e"][0]


def star_target(x: Tensor):
    h, *rest = checkpoint(nested, x, use_reentrant=True)
    return h + rest[0][0]


Made = collections.namedtuple("Made", "h aux")


def made(h: Tensor):
    y = A(h).tanh()
    return Made(y, y.square())


def made_attr(x: Tensor):
    return checkpoint(made, x, use_reentrant=True).h


def add(o):
    return o.h + o.aux


def handed(x: Tensor):
    o = checkpoint(nt, x, use_reentrant=True)
    return add(o)


def rewrapped(x: Tensor):
    o = Out(*checkpoint(nt, x, use_reentrant=True))
    return o.h + o.aux


def appended2(x: Tensor):
    outs = []
    for h in (x, x * 2):
        outs.append(checkpoint(nested, h, use_reentrant=True))
    return sum((o[0] + o[1][0] for o in outs))


def appended3(x: Tensor):
    outs = []
    for h in (x, x * 2):
        outs.append(checkpoint(nested, h, use_reentrant=True))
    return sum((o[0] for o in outs))


def comp4(x: Tensor):
    outs = [checkpoint(nested, h, use_reentrant=True) for h in (x, x * 2)]
    return sum((h + e[0] for h, e in outs))


def comp5(x: Tensor):
    outs = [checkpoint(nested, h, use_reentrant=True) for h in (x, x * 2)]
    return sum((h + e[0].detach() for h, e in outs))


def comp6(x: Tensor):
    y = x
    for h, e in [checkpoint(nested, h, use_reentrant=True) for h in (x, x * 2)]:
        y = y + h + e[0]
    return y


def comp7(x: Tensor):
    outs = [checkpoint(nested, h, use_reentrant=True) for h in (x, x * 2)]
    return outs[0][0] + outs[1][0]
"""
)


def test_what_is_lost_on_the_way_out_is_reported() -> None:
    agree(FORMS, "TBR504")
