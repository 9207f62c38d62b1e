"""TBR502, TBR507: what reaches the checkpointed function: reported if, and only if, the call raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, forms, raised, reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

KEYWORDS = (
    HEAD
    + """
import torch.utils.checkpoint as cp
from torch.utils import checkpoint as cpm
from torch.utils.checkpoint import checkpoint as ck


def f(h: Tensor, scale=1.0):
    return A(h) * scale


def kw(x: Tensor) -> Tensor:
    return checkpoint(f, x, scale=2.0, use_reentrant=True)


def kw_alias(x: Tensor) -> Tensor:
    return ck(f, x, scale=2.0, use_reentrant=True)


def kw_mod(x: Tensor) -> Tensor:
    return cp.checkpoint(f, x, scale=2.0, use_reentrant=True)


def kw_mod2(x: Tensor) -> Tensor:
    return cpm.checkpoint(f, x, scale=2.0, use_reentrant=True)


def kw_non(x: Tensor) -> Tensor:
    return checkpoint(f, x, scale=2.0, use_reentrant=False)


def by_keyword(x: Tensor) -> Tensor:
    return checkpoint(function=lambda: A(x), use_reentrant=True) + x


def by_keyword_two(x: Tensor) -> Tensor:
    return checkpoint(function=lambda scale=1.0: A(x) * scale, scale=2.0, use_reentrant=True)


def bound(x: Tensor) -> Tensor:
    return checkpoint(functools.partial(f, scale=2.0), x, use_reentrant=True)


def part(x: Tensor) -> Tensor:
    return functools.partial(checkpoint, use_reentrant=True)(f, x, scale=2.0)


def part2(x: Tensor) -> Tensor:
    return functools.partial(checkpoint, f, use_reentrant=True, scale=2.0)(x)


def dct(x: Tensor) -> Tensor:
    options = {"scale": 2.0}
    return checkpoint(f, x, use_reentrant=True, **options)


def dct2(x: Tensor) -> Tensor:
    options = dict(scale=2.0, use_reentrant=True)
    return checkpoint(f, x, **options)


def dct_ok(x: Tensor) -> Tensor:
    options = dict(preserve_rng_state=False, use_reentrant=True)
    return checkpoint(f, x, **options)


def helper(x: Tensor) -> Tensor:
    def run(fn, *args, **kw):
        return checkpoint(fn, *args, use_reentrant=True, **kw)
    return run(f, x, scale=2.0)


def helper_ok(x: Tensor) -> Tensor:
    def run(fn, *args, **kw):
        return checkpoint(fn, *args, use_reentrant=True, **kw)
    return run(f, x, 2.0)


def lam(x: Tensor) -> Tensor:
    run = lambda *a, **k: checkpoint(*a, use_reentrant=True, **k)
    return run(f, x, scale=2.0)


def lam_kw(x: Tensor) -> Tensor:
    return checkpoint(lambda h: f(h, scale=2.0), x, use_reentrant=True)


def alias_local(x: Tensor) -> Tensor:
    run = checkpoint
    return run(f, x, scale=2.0, use_reentrant=True)


def cond(x: Tensor) -> Tensor:
    re = True
    return checkpoint(f, x, scale=2.0, use_reentrant=re)


def flag(x: Tensor) -> Tensor:
    def run(h: Tensor, re=False):
        return checkpoint(f, h, scale=2.0, use_reentrant=re)
    return run(x)


def flag_on(x: Tensor) -> Tensor:
    def run(h: Tensor, re=False):
        return checkpoint(f, h, scale=2.0, use_reentrant=re)
    return run(x, re=True)


def module(x: Tensor) -> Tensor:
    return NETK(x)


class Netk(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.kwargs = {"use_reentrant": True}

    def inner(self, h: Tensor, scale=1.0):
        return self.body(h) * scale

    def forward(self, x: Tensor):
        return checkpoint(self.inner, x, scale=2.0, **self.kwargs)


NETK = Netk()


def attr_fn(x: Tensor) -> Tensor:
    return NETF(x)


class Netf(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.ck = functools.partial(checkpoint, use_reentrant=True)

    def inner(self, h: Tensor, scale=1.0):
        return self.body(h) * scale

    def forward(self, x: Tensor):
        return self.ck(self.inner, x, scale=2.0)


NETF = Netf()


def debug_false(x: Tensor) -> Tensor:
    return checkpoint(f, x, debug=False, use_reentrant=True)


def determinism(x: Tensor) -> Tensor:
    return checkpoint(f, x, determinism_check="none", use_reentrant=True)


def preserve(x: Tensor) -> Tensor:
    return checkpoint(f, x, preserve_rng_state=False, use_reentrant=True)


def deco(x: Tensor) -> Tensor:
    def ckpt(fn):
        def wrapped(*a, **k):
            return checkpoint(fn, *a, use_reentrant=True, **k)
        return wrapped
    @ckpt
    def g(h: Tensor, scale=1.0):
        return A(h) * scale
    return g(x, scale=2.0)
"""
)
FLAGS = (
    HEAD
    + """
from torch.utils.checkpoint import checkpoint as ck


def f(h: Tensor): return A(h).tanh()


def g(h: Tensor, flag=False): return A(h).tanh() if flag else A(h)


def flag(x: Tensor) -> Tensor:
    return checkpoint(f, x, False)


def flag_kw(x: Tensor) -> Tensor:
    return checkpoint(f, x, use_reentrant=False)


def alias(x: Tensor) -> Tensor:
    return ck(f, x, True)


def takes(x: Tensor) -> Tensor:
    return checkpoint(g, x, True, use_reentrant=False)


def lam(x: Tensor) -> Tensor:
    return checkpoint(lambda h: f(h), x, False)


def part(x: Tensor) -> Tensor:
    return checkpoint(functools.partial(f), x, False)


def module(x: Tensor) -> Tensor:
    return checkpoint(A, x, False)


def seq(x: Tensor) -> Tensor:
    return checkpoint(nn.Sequential(A, B), x, False)


def named(x: Tensor) -> Tensor:
    re = False
    return checkpoint(f, x, re)


def star(x: Tensor) -> Tensor:
    args = (x, False)
    return checkpoint(f, *args)


def method2(x: Tensor) -> Tensor:
    return NETP(x)


class Netp(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def inner(self, h: Tensor):
        return self.body(h)

    def forward(self, x: Tensor):
        return checkpoint(self.inner, x, False)


NETP = Netp()


def two(x: Tensor) -> Tensor:
    def h2(a, b): return a * b
    return checkpoint(h2, x, x, False)
"""
)


@pytest.mark.parametrize(
    ("source", "code", "kind"), [(KEYWORDS, "TBR502", "ValueError"), (FLAGS, "TBR507", "TypeError")]
)
def test_arguments(source: str, code: str, kind: str) -> None:
    places = forms(source)
    refused = {place for name, place in places.items() if raised(source, name).kind == kind}
    assert 0 < len(refused) < len(places)
    assert set(reported(source, code)) == refused
