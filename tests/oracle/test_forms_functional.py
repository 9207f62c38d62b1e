"""TBR407: `functional_call` around modules that checkpoint inside, by any spelling: reported where torch goes wrong."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, functions, require_torch, trainers

require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore:.torch.nn.utils.stateless:FutureWarning")]

PARTS = (
    HEAD
    + """
import torch.func
from functools import partial
from torch.func import functional_call
from torch.nn.utils import stateless


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def block(self, h):
        return self.layer(h).sin()

    def forward(self, h):
        return checkpoint(self.block, h, use_reentrant=False) * 2


class Bare(Net):
    def forward(self, h):
        return self.block(h) * 2


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, h):
        return self.net(h)


NET, BARE, OUTER = Net(), Bare(), Outer()


def weights(m):
    return {n: p.detach().clone().requires_grad_() * 3 for n, p in m.named_parameters()}


def call(m, w, h):
    return functional_call(m, w, (h,))
"""
)
FORMS = {
    "f": "return functional_call(NET, weights(NET), (x,))",
    "f_bare": "return functional_call(BARE, weights(BARE), (x,))",
    "f_module": "return torch.func.functional_call(NET, weights(NET), (x,))",
    "f_stateless": "return stateless.functional_call(NET, weights(NET), (x,))",
    "f_alias": "run = functional_call\nreturn run(NET, weights(NET), (x,))",
    "f_partial": "run = partial(functional_call, NET)\nreturn run(weights(NET), (x,))",
    "f_lambda": "run = lambda h: functional_call(NET, weights(NET), (h,))\nreturn run(x)",
    "f_helper": "return call(NET, weights(NET), x)",
    "f_helper_bare": "return call(BARE, weights(BARE), x)",
    "f_outer": "return functional_call(OUTER, weights(OUTER), (x,))",
    "f_local": "net = Net()\nreturn functional_call(net, weights(net), (x,))",
    "f_own": "return functional_call(NET, dict(NET.named_parameters()), (x,))",
    "f_around": (
        "w = weights(BARE)\nreturn checkpoint(lambda h: functional_call(BARE, w, (h,)), x, use_reentrant=False)"
    ),
    "f_kw": "return functional_call(module=NET, parameter_and_buffer_dicts=weights(NET), args=(x,))",
    "f_kw_own": (
        "return functional_call(module=NET, parameter_and_buffer_dicts=dict(NET.named_parameters()), args=(x,))"
    ),
    "f_partial_own": "run = partial(functional_call, NET)\nreturn run(dict(NET.named_parameters()), (x,))",
    "f_partial_bare": "run = partial(functional_call, BARE)\nreturn run(weights(BARE), (x,))",
    "f_no_tuple": "return functional_call(NET, weights(NET), x)",
    "f_plain": "return NET(x)",
    "f_var": "w = weights(NET)\ny = functional_call(NET, w, (x,))\nreturn y + 1",
    "f_try": "try:\n    return functional_call(NET, weights(NET), (x,))\nfinally:\n    pass",
    "f_loop": "y = x\nfor _ in range(2):\n    y = functional_call(NET, weights(NET), (y,))\nreturn y",
    "f_if": "if x.shape[0] == 3:\n    return functional_call(NET, weights(NET), (x,))\nreturn NET(x)",
    "f_func_grad": "w = weights(BARE)\nreturn functional_call(BARE, w, (x,)) + x",
    "f_inner_grad": (
        "y = functional_call(NET, weights(NET), (x,))\n"
        "g, = torch.autograd.grad(y.sum(), x, create_graph=True)\n"
        "return y * g.detach()"
    ),
}
PROGRAM = PARTS + functions(FORMS) + trainers(FORMS)


def test_other_parameters_than_the_recompute_reads_are_reported() -> None:
    agree(PROGRAM, "TBR407", names=FORMS, elsewhere={"f_helper": "call"}, wrong=9, right=7)
