"""TBR311: what tracers freeze or refuse, in ordinary spellings: reported if, and only if, the trace goes wrong."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import indented, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import math
import operator
from functools import partial, reduce

import torch
import torch.nn.functional as F
from torch import Tensor, jit, nn
from torch.fx import symbolic_trace
from torch.fx.experimental.proxy_tensor import make_fx

X = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)
a0 = torch.sin
b0 = torch.cos


def pick(t):
    return t.sum() > 0


def helper(t):
    return t.sin() if t.sum() > 0 else t.cos()


"""
BODIES = [
    """\
return x.sin() if x.sum() > 0 else x.cos()
""",
    """\
if x.sum() > 0:
    return x.sin()
return x.cos()
""",
    """\
n = int(x.sum() > 0)
return x * n
""",
    """\
return x * (x.sum() > 0).item()
""",
    """\
return x * float(x.sum())
""",
    """\
return x * x.sum().item()
""",
    """\
return x * x.sum()
""",
    """\
return torch.where(x.sum() > 0, x.sin(), x.cos())
""",
    """\
while x.sum() > 1:
    x = x / 2
return x
""",
    """\
return x[x > 0].sum()
""",
    """\
ok = not (x.sum() > 0)
return x * ok
""",
    """\
ok = 0 < x.sum() < 1000
return x * ok
""",
    """\
ok = 1.0 in x
return x * (1 + ok)
""",
    """\
return [x.sin(), x.cos()][int(x.sum() > 0)]
""",
    """\
return {True: x.sin(), False: x.cos()}[bool(x.sum() > 0)]
""",
    """\
return sum(filter(pick, [x, x.sin(), -x]))
""",
    """\
return sum([t for t in [x, x.sin(), -x] if pick(t)])
""",
    """\
return max([x, x.sin(), -x], key=lambda t: t.sum())
""",
    """\
return sorted([x.sum(), x.max()])[0] * x
""",
    """\
return max(x.sum(), x.max() - 3) * x
""",
    """\
read = x.sum().item
return x * read()
""",
    """\
conv = float
return x * conv(x.sum())
""",
    """\
return x * sum(map(float, x[0]))
""",
    """\
return x * sum(map(torch.Tensor.item, [x.sum(), x.max()]))
""",
    """\
return x * operator.truth(x.sum() > 0)
""",
    """\
return x * x.sum().__float__()
""",
    """\
return x * any(x[0] > 0)
""",
    """\
return x * math.exp(x.sum())
""",
    """\
return x * (1 + torch.allclose(x, x.abs()))
""",
    """\
flag = bool(x.sum() > 0)
return x.sin() if flag is True else x.cos()
""",
    """\
match int(x.sum() > 0):
    case 1: return x.sin()
    case _: return x.cos()
""",
    """\
try:
    return x.sin() if x.sum() > 0 else x.cos()
finally:
    pass
""",
    """\
with torch.no_grad():
    return x.sin() if x.sum() > 0 else x.cos()
""",
    """\
return reduce(lambda a, b: a if a.sum() > b.sum() else b, [x, -x])
""",
    """\
return helper(x)
""",
    """\
return x * torch.tensor(x.sum().item())
""",
    """\
return torch.full((4,), x.sum().item()) + x
""",
    """\
return torch.full((4,), x.sum()) + x
""",
    """\
s = f"{x.sum():.2f}"
return x * len(s.strip("-"))
""",
    """\
print(f"{x.sum():.2f}", end="")
return x.sin()
""",
    """\
assert x.sum() < 1000
return x.sin()
""",
    """\
if x.isnan().any(): raise ValueError
return x.sin()
""",
    """\
return x[:, int(x[0].argmax())]
""",
    """\
return x[:, x[0].argmax()]
""",
    """\
return x.new_tensor(x.tolist()).sin()
""",
    """\
f = a0 if x.sum() > 0 else b0
return f(x)
""",
    """\
flag = x.requires_grad
return x.sin() if flag else x.cos()
""",
    """\
return F.relu(x).clamp(max=x.sum())
""",
    "return x.sin() if x.sum() > 0 and x.max() > 1.5 else x.cos()",
    "for i in range(int(x.max().clamp(min=0))):\n    x = x + i + 1\nreturn x",
]
OTHERS = {
    "fx": ("torch.Tensor.item", "torch.tensor(x.sum().item())", "x.requires_grad"),
    "make_fx": ("torch.allclose", "x[:, x[0].argmax()]"),
}
"""What these tracers refuse for other reasons than a value that is asked for, or by an operation of torch's."""
TRACERS = {
    "jit": "traced = torch.jit.trace(form, (X,), check_trace=False)\n    return torch.equal(traced(-X), form(-X))",
    "fx": "return symbolic_trace(form) is not None",
    "make_fx": "return make_fx(form)(X) is not None",
}


@pytest.mark.parametrize(
    ("body", "tracer"),
    [(b, t) for b in BODIES for t in TRACERS if not any(part in b for part in OTHERS.get(t, ()))],
)
def test_what_tracers_get_wrong(body: str, tracer: str) -> None:
    source = f"{HEAD}def form(x: Tensor):\n{indented(body)}\n\ndef run():\n    {TRACERS[tracer]}\n"
    with loaded(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR311")) is (outcome.value is not True)


BRANCH = "def form(x: Tensor):\n    return x.sin() if x.sum() > 0 else x.cos()\n\n\n"
MODULE = "class M(nn.Module):\n    def forward(self, x: Tensor):\n        return helper(x)\n\n\n"
ENDS = "check_trace=False)\n    return torch.equal(traced(-X), form(-X))\n"
CALLS = [
    BRANCH + "def run():\n    traced = jit.trace(form, X, " + ENDS,
    BRANCH + "record = torch.jit.trace\n\n\ndef run():\n    traced = record(form, X, " + ENDS,
    BRANCH
    + "record = partial(torch.jit.trace, example_inputs=(X,))\n\n\ndef run():\n    traced = record(form, "
    + ENDS,
    BRANCH + "def save(f):\n    return torch.jit.trace(f, X, check_trace=False)\n\n\n"
    "def run():\n    traced = save(form)\n    return torch.equal(traced(-X), form(-X))\n",
    BRANCH + "def run():\n    traced = torch.jit.trace(func=form, example_inputs=X, " + ENDS,
    BRANCH + "def run():\n    with torch.no_grad():\n        traced = torch.jit.trace(form, X, "
    "check_trace=False)\n    return torch.equal(traced(-X), form(-X))\n",
    BRANCH + "def run():\n    traced = torch.jit.trace(lambda t: form(t), X, " + ENDS,
    "form = helper\n\n\ndef run():\n    traced = torch.jit.trace(helper, X, " + ENDS,
    MODULE + "def run():\n    form = M()\n    traced = torch.jit.trace(form, X, " + ENDS,
    MODULE + "def run():\n    form = M().eval()\n    traced = torch.jit.trace_module(form, {'forward': X}, " + ENDS,
    MODULE + "def run():\n    form = nn.Sequential(nn.ReLU(), M())\n    form = nn.Sequential(M(), nn.ReLU())\n"
    "    traced = torch.jit.trace(form, X, " + ENDS,
    MODULE + "class T:\n    def __init__(self):\n        self.m = M()\n\n    def save(self):\n"
    "        return torch.jit.trace(self.m, X, check_trace=False)\n\n\n"
    "def run():\n    traced = T().save()\n    return torch.equal(traced(-X), M()(-X))\n",
    "def form(x: Tensor):\n    return torch.where(x.sum() > 0, x.sin(), x.cos())\n\n\n"
    "def run():\n    traced = torch.jit.trace(form, X, " + ENDS,
    "@torch.jit.script\ndef inner(x: Tensor):\n    if bool(x.sum() > 0):\n        return x.sin()\n"
    "    return x.cos()\n\n\n"
    "def form(x: Tensor):\n    return inner(x)\n\n\ndef run():\n    traced = torch.jit.trace(form, X, " + ENDS,
]


@pytest.mark.parametrize("program", CALLS)
def test_ways_to_trace(program: str) -> None:
    source = HEAD + program
    with loaded(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR311")) is (outcome.value is not True)
