"""TBR303: ints, strings and lengths that change by any spelling, of modules, of what they keep and of globals: reported
if, and only if, each value costs a graph.
"""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import graphs_compiled, loaded

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import collections

import torch
from torch import Tensor, nn


class Key:
    def __init__(self) -> None:
        self.i = 0
        self.s = "a"
        self.f = 0.0
        self.l = []
        self.d = {"n": 0}


K = Key()
N = 0
S = "a"
D = {"n": 0}
L = []
DD = collections.defaultdict(int)
"""
MODULE = """

class Form(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.d = {"n": 0}
        self.l = []
        self.n = 0
        self.k = Key()
        self.s = "a"
        self.t = {0: 1.0}
        self.w = [0, 1]

    def forward(self, x: Tensor) -> Tensor:
BODY

FORM = torch.compile(Form(), backend="eager")


def form(x: Tensor) -> Tensor:
    return FORM(x)
"""
FUNCTION = """

@torch.compile(backend="eager")
def form(x: Tensor) -> Tensor:
BODY
"""
CALLS, MOST = 12, 4  # what is dynamic, or comes back, costs at most four graphs
OF_MODULES = [
    "d = self.d\nd['n'] += 1\nreturn x + d['n']",
    "d = self.d\nd['n'] = d['n'] + 1\nreturn x + d['n']",
    "self.d.update(n=self.d['n'] + 1)\nreturn x + self.d['n']",
    "self.d.update({'n': self.d['n'] + 1})\nreturn x + self.d['n']",
    "self.d['n'] = self.d.get('n', 0) + 1\nreturn x + self.d['n']",
    "k = self.k\nk.i += 1\nreturn x + k.i",
    "self.k.i += 1\nreturn x + self.k.i",
    "self.k.i = self.k.i + 1\nreturn x + self.k.i",
    "setattr(self, 'n', self.n + 1)\nreturn x + self.n",
    "setattr(self.k, 'i', self.k.i + 1)\nreturn x + self.k.i",
    "self.__dict__['n'] += 1\nreturn x + self.n",
    "vars(self)['n'] += 1\nreturn x + self.n",
    "self.n += 1\nreturn x + self.n",
    "self.n += 1\nreturn x + self.t.get(self.n, 1.0)",
    "self.k.i += 1\nreturn x + self.t.get(self.k.i, 1.0)",
    "self.n += 1\nname = str(self.n)\nreturn x + len(name)",
    "self.k.i += 1\nname = f'{self.k.i}'\nreturn x + len(name)",
    "w = self.w\nw[0] += 1\nreturn x + w[0]",
    "self.w[0] += 1\nreturn x + self.w[0]",
    "l = self.l\nl.append(1)\nreturn x + len(l)",
    "add = self.l.append\nadd(1)\nreturn x + len(self.l)",
    "self.l += [1]\nreturn x + len(self.l)",
    "self.s += 'a'\nreturn x + len(self.s)",
    "self.s = self.s + 'a'\nreturn x + len(self.s)",
    "self.s = f'{self.s}a'\nreturn x + len(self.s)",
    "self.k.s += 'a'\nreturn x + len(self.k.s)",
    "self.d[len(self.d)] = 1\nreturn x + len(self.d)",
    "self.d.setdefault(len(self.d), 1)\nreturn x + len(self.d)",
    "n = self.n\nself.n = n + 1\nreturn x + n",
    "self.n, m = self.n + 1, 2\nreturn x + self.n",
    "self.n = max(self.n, 0) + 1\nreturn x + self.n",
    "self.n = (self.n + 1) % 3\nreturn x + self.n",
    "self.k.l.append(1)\nreturn x + len(self.k.l)",
    "self.k.d['n'] += 1\nreturn x + self.k.d['n']",
    "K.i += 1\nreturn x + K.i",
    "k = K\nk.i += 1\nreturn x + k.i",
    "global N\nN += 1\nreturn x + N",
    "D['n'] += 1\nreturn x + D['n']",
    "d = D\nd['n'] += 1\nreturn x + d['n']",
    "DD['n'] += 1\nreturn x + DD['n']",
    "D.update(n=D['n'] + 1)\nreturn x + D['n']",
    "L.append(1)\nreturn x + len(L)",
]
OF_GLOBALS = [
    "K.i += 1\nreturn x + K.i",
    "K.i = K.i + 1\nreturn x * K.i",
    "k = K\nk.i += 1\nreturn x + k.i",
    "K.s += 'a'\nreturn x + len(K.s)",
    "K.l.append(1)\nreturn x + len(K.l)",
    "K.d['n'] += 1\nreturn x + K.d['n']",
    "K.f += 1.0\nreturn x + K.f",
    "global N\nN += 1\nreturn x + N",
    "global S\nS += 'a'\nreturn x + len(S)",
    "K.i += 1\nreturn x + {0: 1.0}.get(K.i, 2.0)",
    "K.i += 1\nname = str(K.i)\nreturn x + len(name)",
    "K.i += 1\nname = f'{K.i}'\nreturn x + len(name)",
    "setattr(K, 'i', K.i + 1)\nreturn x + K.i",
    "d = D\nd['n'] += 1\nreturn x + d['n']",
    "D['n'] += 1\nreturn x + D['n']",
    "D.update(n=D['n'] + 1)\nreturn x + D['n']",
    "form.n = getattr(form, 'n', 0) + 1\nreturn x + form.n",
]


def costs(source: str) -> bool:
    """True when 12 calls of a form cost a graph per value."""
    with loaded(source) as module:
        return graphs_compiled(lambda: [module.form(torch.ones(3, 4)) for _ in range(CALLS)]) > MOST


def program(frame: str, body: str, indent: str) -> str:
    return HEAD + frame.replace("BODY", "\n".join(indent + line for line in body.splitlines()))


@pytest.mark.parametrize("body", OF_MODULES)
def test_of_a_module(body: str) -> None:
    source = program(MODULE, body, " " * 8)
    assert costs(source) is bool(reported(source, "TBR303"))


@pytest.mark.parametrize("body", OF_GLOBALS)
def test_of_globals(body: str) -> None:
    source = program(FUNCTION, body, " " * 4)
    assert costs(source) is bool(reported(source, "TBR303"))


GLOBAL = (
    "G = {}\n\n{}\ndef f(x):\n    return x * len(G)\n\ndef run(x):\n    for i in range(12):\n        {}\n        f(x)"
)
MAKER = """def make():
    held = []

    @C
    def f(x):
        return x * len(held)

    def step(x):
        {}

    return step

STEP = make()

def run(x):
    for _ in XS:
        STEP(x)"""
LOCAL = """def run(x):
    held = []

    @C
    def f(x):
        return x * len(held)

    for i in range(12):
        {}"""
OWNER = """class Owner:
    def __init__(self):
        self.net = torch.compile(self.body, backend='eager')
        self.seen = []

    def body(self, x: Tensor):
        return x * len(self.seen)

    def step(self, x: Tensor):
        self.seen.append(1)
        return self.net(x)

OWNER = Owner()

def run(x):
    for _ in XS:
        OWNER.step(x)"""
CALLERS = [
    GLOBAL.format("[]", "@C", "G.append(i)"),
    GLOBAL.format("{}", "@C", "G[i] = 1"),
    GLOBAL.format("{}", "@C", "G['n'] = 1"),
    GLOBAL.format("[0] * 12", "@C", "G[i] = 0"),
    MAKER.format("held.append(1)\n        return f(x)"),
    MAKER.format("held.append(1)\n        f(x)\n        held.pop()"),
    MAKER.format("held.clear()\n        held.append(1)\n        f(x)"),
    LOCAL.format("held.append(i)\n        f(x)"),
    LOCAL.format("held.append(i)\n    for _ in XS:\n        f(x)"),
    OWNER,
]
"""Containers that the callers of a compiled function fill."""


@pytest.mark.parametrize("body", CALLERS)
def test_filled_by_callers(body: str) -> None:
    source = f"import torch\nfrom torch import Tensor\n\nXS = list(range(12))\n\n{body}\n"
    source = source.replace("@C", "@torch.compile(backend='eager')").replace("f(x):", "f(x: Tensor):")
    with loaded(source) as module:
        costly = graphs_compiled(lambda: module.run(torch.ones(4))) > MOST
    assert bool(reported(source, "TBR303")) is costly


APPENDS = "@torch.compile(backend='eager')\ndef form(x: Tensor, outs: list):\n    {}\n    return x.cos()\n\n\n"
GIVEN_LISTS = [
    ("outs.append(x.sin())", "outs = []\n    for _ in range(6):\n        x = form(x, outs)"),
    ("outs.extend([x.sin(), x])", "outs = []\n    for _ in range(6):\n        x = form(x, outs)"),
    (
        "outs.insert(0, x.sin())",
        "outs = []\n    n = 0\n    while n < 6:\n        x = form(x, outs=outs)\n        n += 1",
    ),
    ("outs.append(x.sin())", "for _ in range(6):\n        outs = []\n        x = form(x, outs)"),
    ("outs.append(x.sin())", "for _ in range(6):\n        x = form(x, [])"),
    ("outs.append(x.sin())", "for outs in ([], [], []):\n        x = form(x, outs)"),
    ("outs.append(x.sin())", "outs = []\n    for _ in range(6):\n        x = form(x, outs)\n        outs.clear()"),
    ("outs.append(x.sin())\n    outs.pop()", "outs = []\n    for _ in range(6):\n        x = form(x, outs)"),
    ("outs = []\n    outs.append(x.sin())", "outs = []\n    for _ in range(6):\n        x = form(x, outs)"),
    ("outs = [x.sin()]", "outs = []\n    for _ in range(6):\n        x = form(x, outs)"),
    ("outs.append(x.sin())", "outs = []\n    x = form(x, outs)"),
]


@pytest.mark.parametrize(("body", "calls"), GIVEN_LISTS)
def test_lists_that_the_function_appends_to(body: str, calls: str) -> None:
    source = f"{HEAD}\n\n{APPENDS.format(body)}def run(x: Tensor):\n    {calls}\n    return x\n"
    with loaded(source) as module:
        costly = graphs_compiled(lambda: module.run(torch.ones(3))) > 2
    assert bool(reported(source, "TBR303")) is costly
