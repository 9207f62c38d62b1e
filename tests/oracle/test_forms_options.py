"""TBR405, TBR505: what the reentrant checkpoint refuses, and tensors that it shares: reported where torch raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings(
        "ignore:torch.utils.checkpoint. the use_reentrant parameter should be passed:UserWarning"
    ),
]

REFUSED = (
    HEAD
    + """
from contextlib import nullcontext
from torch.utils.checkpoint import noop_context_fn


def f(h: Tensor): return A(h).tanh()


def ctx(): return nullcontext(), nullcontext()


def debug(x: Tensor) -> Tensor:
    return checkpoint(f, x, debug=True, use_reentrant=True)


def debug_false(x: Tensor) -> Tensor:
    return checkpoint(f, x, debug=False, use_reentrant=True)


def context(x: Tensor) -> Tensor:
    return checkpoint(f, x, context_fn=ctx, use_reentrant=True)


def context_non(x: Tensor) -> Tensor:
    return checkpoint(f, x, context_fn=ctx, use_reentrant=False)


def noop(x: Tensor) -> Tensor:
    return checkpoint(f, x, context_fn=noop_context_fn, use_reentrant=True)


def omitted(x: Tensor) -> Tensor:
    return checkpoint(f, x, context_fn=ctx)


def lam(x: Tensor) -> Tensor:
    return checkpoint(f, x, context_fn=lambda: (nullcontext(), nullcontext()), use_reentrant=True)


def dct(x: Tensor) -> Tensor:
    o = {"context_fn": ctx, "use_reentrant": True}
    return checkpoint(f, x, **o)


def dct2(x: Tensor) -> Tensor:
    o = dict(debug=True)
    return checkpoint(f, x, use_reentrant=True, **o)


def part(x: Tensor) -> Tensor:
    return functools.partial(checkpoint, context_fn=ctx)(f, x, use_reentrant=True)


def part2(x: Tensor) -> Tensor:
    return functools.partial(checkpoint, use_reentrant=True, debug=True)(f, x)


def helper(x: Tensor) -> Tensor:
    def run(fn, *a, **k): return checkpoint(fn, *a, use_reentrant=True, **k)
    return run(f, x, context_fn=ctx)


def param(x: Tensor) -> Tensor:
    def run(h: Tensor, fn=None): return checkpoint(f, h, context_fn=fn or noop_context_fn, use_reentrant=True)
    return run(x)


def ternary(x: Tensor) -> Tensor:
    return checkpoint(f, x, context_fn=ctx if x.shape[0] < 99 else noop_context_fn, use_reentrant=True)


def alias(x: Tensor) -> Tensor:
    g = ctx
    return checkpoint(f, x, context_fn=g, use_reentrant=True)


def attr(x: Tensor) -> Tensor:
    return NETA(x)


class Neta(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.ctx = ctx
        self.re = True

    def forward(self, x: Tensor):
        return checkpoint(self.body, x, context_fn=self.ctx, use_reentrant=self.re)


NETA = Neta()
"""
)
SHARED = (
    HEAD
    + """
def f(h: Tensor): return A(h).tanh()


def shared_two(x: Tensor) -> Tensor:
    c = B(x)
    h = checkpoint(lambda h: A(h) * c, x, use_reentrant=True)
    return checkpoint(lambda h: C(h) * c, h, use_reentrant=True)


def one(x: Tensor) -> Tensor:
    c = B(x)
    return checkpoint(lambda h: A(h) * c, x, use_reentrant=True)


def outside(x: Tensor) -> Tensor:
    c = B(x)
    h = checkpoint(lambda h: A(h) * c, x, use_reentrant=True)
    return h + c


def passed(x: Tensor) -> Tensor:
    c = B(x)
    h = checkpoint(lambda h, c: A(h) * c, x, c, use_reentrant=True)
    return h + c


def loop(x: Tensor) -> Tensor:
    c = B(x)
    for l in (A, C):
        x = checkpoint(lambda h, l=l: l(h) * c, x, use_reentrant=True)
    return x


def leaf(x: Tensor) -> Tensor:
    c = nn.Parameter(torch.ones(4))
    h = checkpoint(lambda h: A(h) * c, x, use_reentrant=True)
    return h + c


def detached(x: Tensor) -> Tensor:
    c = B(x).detach()
    h = checkpoint(lambda h: A(h) * c, x, use_reentrant=True)
    return h + c


def partial_form(x: Tensor) -> Tensor:
    c = B(x)
    def r(c, h: Tensor): return A(h) * c
    h = checkpoint(functools.partial(r, c), x, use_reentrant=True)
    return h + c


def nested_def(x: Tensor) -> Tensor:
    c = B(x)
    def r(h: Tensor): return A(h) * c
    h = checkpoint(r, x, use_reentrant=True)
    return r(h)


def default_arg(x: Tensor) -> Tensor:
    c = B(x)
    h = checkpoint(lambda h, c=c: A(h) * c, x, use_reentrant=True)
    return h + c


def linear_use(x: Tensor) -> Tensor:
    c = B(x)
    h = checkpoint(lambda h: A(h) + c, x, use_reentrant=True)
    return h + c


def in_dict(x: Tensor) -> Tensor:
    d = {"c": B(x)}
    h = checkpoint(lambda h: A(h) * d["c"], x, use_reentrant=True)
    return h + d["c"]
"""
)


@pytest.mark.parametrize(("source", "code"), [(REFUSED, "TBR405"), (SHARED, "TBR505")])
def test_what_raises(source: str, code: str) -> None:
    agree(source, code)
