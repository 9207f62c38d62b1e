"""Regions that begin by any spelling: what stands in them is found, whatever leads there."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, advances, differs, raised, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

BODIES = {
    "": ["return (A(h).tanh() * 2).sin()"],
    "TBR201": ["h = A(h).tanh()", "if h.abs().max() > 2:", "    h = h / h.abs().max()", "return h.sin()"],
    "TBR203": ["return (A(h) * random.random()).tanh()"],
    "TBR210": ["h = A(h).tanh()", "h = h[h.sum(1) > 0]", "return h.sin()"],
    "TBR211": ["return BN(A(h)).tanh()"],
}
WAYS = {
    "nested": """
def f(x):
    def region(h):
        BODY
    return checkpoint(region, x, use_reentrant=False)
""",
    "module_fn": """
def region(h):
    BODY
def f(x):
    return checkpoint(region, x, use_reentrant=False)
""",
    "partial": """
def region(h, k=1):
    BODY
def f(x):
    return checkpoint(functools.partial(region, k=2), x, use_reentrant=False)
""",
    "partial_ck": """
def region(h):
    BODY
ck = functools.partial(checkpoint, use_reentrant=False)
def f(x):
    return ck(region, x)
""",
    "partial_both": """
def region(h):
    BODY
ck = functools.partial(checkpoint, region, use_reentrant=False)
def f(x):
    return ck(x)
""",
    "partial_attr": """
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.ck = functools.partial(checkpoint, use_reentrant=False)
    def region(self, h):
        BODY
    def forward(self, x):
        return self.ck(self.region, x)
N1 = N()
def f(x):
    return N1(x)
""",
    "static": """
class N(nn.Module):
    ck = staticmethod(checkpoint)
    def region(self, h):
        BODY
    def forward(self, x):
        return self.ck(self.region, x, use_reentrant=False)
N1 = N()
def f(x):
    return N1(x)
""",
    "alias": """
ck = checkpoint
def region(h):
    BODY
def f(x):
    return ck(region, x, use_reentrant=False)
""",
    "helper": """
def run(g, *a):
    return checkpoint(g, *a, use_reentrant=False)
def region(h):
    BODY
def f(x):
    return run(region, x)
""",
    "lambda_helper": """
run = lambda g, *a: checkpoint(g, *a, use_reentrant=False)
def region(h):
    BODY
def f(x):
    return run(region, x)
""",
    "deco": """
def ck(g):
    @functools.wraps(g)
    def inner(*a):
        return checkpoint(g, *a, use_reentrant=False)
    return inner
@ck
def region(h):
    BODY
def f(x):
    return region(x)
""",
    "deco_call": """
def ck(g):
    def inner(*a):
        return checkpoint(g, *a, use_reentrant=False)
    return inner
def region(h):
    BODY
wrapped = ck(region)
def f(x):
    return wrapped(x)
""",
    "deco_cls": """
class CK:
    def __init__(self, g):
        self.g = g
    def __call__(self, *a):
        return checkpoint(self.g, *a, use_reentrant=False)
@CK
def region(h):
    BODY
def f(x):
    return region(x)
""",
    "module": """
class N(nn.Module):
    def forward(self, h):
        BODY
N1 = N()
def f(x):
    return checkpoint(N1, x, use_reentrant=False)
""",
    "module_call": """
class N(nn.Module):
    def forward(self, h):
        BODY
N1 = N()
def f(x):
    return checkpoint(N1.__call__, x, use_reentrant=False)
""",
    "list": """
class N(nn.Module):
    def forward(self, h):
        BODY
NS = nn.ModuleList([N(), N()])
def f(x):
    for n in NS:
        x = checkpoint(n, x, use_reentrant=False)
    return x
""",
    "seq": """
class N(nn.Module):
    def forward(self, h):
        BODY
NS = nn.Sequential(N(), N())
def f(x):
    return checkpoint(NS, x, use_reentrant=False)
""",
    "cond": """
class N(nn.Module):
    use = True
    def region(self, h):
        BODY
    def forward(self, x):
        run = functools.partial(checkpoint, self.region, use_reentrant=False) if self.use else self.region
        return run(x)
N1 = N()
def f(x):
    return N1(x)
""",
    "cond_call": """
class N(nn.Module):
    use = True
    def region(self, h):
        BODY
    def forward(self, x):
        if self.use and self.training:
            return checkpoint(self.region, x, use_reentrant=False)
        return self.region(x)
N1 = N()
def f(x):
    return N1(x)
""",
    "custom": """
def create(m):
    def custom(*a):
        return m(*a)
    return custom
class N(nn.Module):
    def forward(self, h):
        BODY
N1 = N()
def f(x):
    return checkpoint(create(N1), x, use_reentrant=False)
""",
    "kw": """
def region(h):
    BODY
def f(x):
    return checkpoint(region, x, **dict(use_reentrant=False))
""",
    "getattr": """
def region(h):
    BODY
def f(x):
    return getattr(torch.utils.checkpoint, 'checkpoint')(region, x, use_reentrant=False)
""",
    "table": """
def region(h):
    BODY
T = {'r': region}
def f(x):
    return checkpoint(T['r'], x, use_reentrant=False)
""",
    "ctx": """
def region(h):
    BODY
def f(x):
    with contextlib.ExitStack() as s:
        s.enter_context(contextlib.nullcontext())
        return checkpoint(region, x, use_reentrant=False)
""",
    "inner_helper": """
def deeper(h):
    BODY
def region(h):
    return deeper(h)
def f(x):
    return checkpoint(region, x, use_reentrant=False)
""",
    "star": """
def region(h):
    BODY
def f(x):
    args = (x,)
    return checkpoint(region, *args, use_reentrant=False)
""",
    "forward_swap": """
class N(nn.Module):
    def forward(self, h):
        BODY
N1 = N()
N1.forward = functools.partial(checkpoint, N1.forward, use_reentrant=False)
def f(x):
    return N1(x)
""",
    "map": """
def region(h):
    BODY
def f(x):
    return list(map(functools.partial(checkpoint, region, use_reentrant=False), [x]))[0]
""",
    "wrapper": """
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
class N(nn.Module):
    def forward(self, h):
        BODY
N1 = checkpoint_wrapper(N())
def f(x):
    return N1(x)
""",
}


def program(way: str, code: str) -> str:
    lines = []
    for line in WAYS[way].splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        lines += [indent + inner for inner in BODIES[code]] if line.strip() == "BODY" else [line]
    return HEAD + "import torch.utils.checkpoint\n\nBN = nn.BatchNorm1d(4)\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("code", BODIES)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_into_a_region_is_followed(way: str, code: str) -> None:
    source = program(way, code)
    assert raised(source, "f").error is None
    if code == "TBR203":
        assert differs(source, "f")
    if code == "TBR211":
        assert advances(source, "f", "running_mean")
    assert {found for found in BODIES if reported(source, found)} == {code} - {""}
