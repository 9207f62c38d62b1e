"""TBR303: state that functions keep, and iterators from outside: reported where it costs a graph per value."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import graphs_compiled, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import collections
import itertools

import torch
from torch import Tensor, nn


"""
PROGRAMS = [
    """\
@torch.compile(backend="eager")
def form(x: Tensor):
    form2.count += 1
    return x * form2.count
def form2(x): return x
form2.count = 0
""",
    """\
def f(x: Tensor):
    f.count += 1
    return x * f.count
f.count = 0
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor):
    f.count = f.count + 1
    return x * f.count
f.count = 0
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor):
    return x * f.count
f.count = 3
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor):
    f.count += 1
    return x.sin()
f.count = 0
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor):
    f.rate += 0.5
    return x * f.rate
f.rate = 0.0
form = torch.compile(f, backend="eager")
""",
    """\
def helper(x):
    helper.calls += 1
    return x.sin() * helper.calls
helper.calls = 0
@torch.compile(backend="eager")
def form(x: Tensor):
    return helper(x)
""",
    """\
def f(x: Tensor):
    setattr(f, "count", getattr(f, "count", 0) + 1)
    return x * f.count
f.count = 0
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor):
    f.seen.append(1)
    return x * len(f.seen)
f.seen = []
form = torch.compile(f, backend="eager")
""",
    """\
counter = itertools.count()
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * next(counter)
""",
    """\
counter = itertools.count()
@torch.compile(backend="eager")
def form(x: Tensor):
    n = next(counter)
    if n % 2:
        return x.sin()
    return x.cos()
""",
    """\
counter = itertools.count(1, 2)
@torch.compile(backend="eager")
def form(x: Tensor):
    next(counter)
    return x.sin()
""",
    """\
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.counter = itertools.count()
    def forward(self, x: Tensor):
        return x * next(self.counter)
form = torch.compile(M(), backend="eager")
""",
    """\
@torch.compile(backend="eager")
def form(x: Tensor):
    counter = itertools.count()
    return x * next(counter) + x * next(counter)
""",
    """\
def make():
    n = 0
    @torch.compile(backend="eager")
    def step(x: Tensor):
        nonlocal n
        n += 1
        return x * n
    return step
form = make()
""",
    """\
def make():
    n = 0
    def step(x: Tensor):
        nonlocal n
        n = n + 1
        return x * n
    return torch.compile(step, backend="eager")
form = make()
""",
    """\
def make():
    n = 0
    def step(x: Tensor):
        return x * n
    return torch.compile(step, backend="eager")
form = make()
""",
    """\
def make():
    n = [0]
    @torch.compile(backend="eager")
    def step(x: Tensor):
        n[0] += 1
        return x * n[0]
    return step
form = make()
""",
    """\
def make():
    state = {"n": 0}
    @torch.compile(backend="eager")
    def step(x: Tensor):
        state["n"] += 1
        return x * state["n"]
    return step
form = make()
""",
    """\
def make():
    seen = []
    @torch.compile(backend="eager")
    def step(x: Tensor):
        seen.append(1)
        return x * len(seen)
    return step
form = make()
""",
    """\
def make():
    n = 0.0
    @torch.compile(backend="eager")
    def step(x: Tensor):
        nonlocal n
        n += 1
        return x * n
    return step
form = make()
""",
    """\
def make():
    on = False
    @torch.compile(backend="eager")
    def step(x: Tensor):
        nonlocal on
        on = not on
        return x.sin() if on else x.cos()
    return step
form = make()
""",
    """\
def make():
    n = 0
    @torch.compile(backend="eager")
    def step(x: Tensor):
        return x * n
    def call(x: Tensor):
        nonlocal n
        n += 1
        return step(x)
    return call
form = make()
""",
    """\
def make():
    n = 0
    @torch.compile(backend="eager")
    def step(x: Tensor):
        nonlocal n
        n = 0
        n += 1
        return x * n
    return step
form = make()
""",
    """\
def make():
    counter = itertools.count()
    @torch.compile(backend="eager")
    def step(x: Tensor):
        return x * next(counter)
    return step
form = make()
""",
    """\
steps = iter(range(100))
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * next(steps)
""",
    """\
def f(x: Tensor, cache=[]):
    cache.append(1)
    return x * len(cache)
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor, cache={"n": 0}):
    cache["n"] += 1
    return x * cache["n"]
form = torch.compile(f, backend="eager")
""",
    """\
def gen():
    n = 0
    while True:
        n += 1
        yield n
g = gen()
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * next(g)
""",
    """\
calls = collections.Counter()
@torch.compile(backend="eager")
def form(x: Tensor):
    calls["a"] += 1
    return x * calls["a"]
""",
    """\
f_count = 0
def bump():
    global f_count
    f_count += 1
    return f_count
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * bump()
""",
    """\
def make():
    seen = []
    @torch.compile(backend="eager")
    def step(x: Tensor):
        seen.append(1)
        return x.sin()
    return step
form = make()
""",
    """\
def make():
    seen = {}
    @torch.compile(backend="eager")
    def step(x: Tensor):
        seen[len(seen)] = 1
        return x * len(seen)
    return step
form = make()
""",
    """\
@torch.compile(backend="eager")
def form(x: Tensor):
    outs = []
    def add(t):
        outs.append(t)
        return t.sin()
    y = add(x) + add(x)
    return y * len(outs)
""",
    """\
@torch.compile(backend="eager")
def form(x: Tensor):
    n = 0
    def add(t):
        nonlocal n
        n += 1
        return t * n
    return add(x) + add(x)
""",
    """\
def f(x: Tensor, cache=[]):
    cache.append(1)
    return x * len(cache)
g = torch.compile(f, backend="eager")
def form(x):
    return g(x, [])
""",
    """\
def f(x: Tensor, cache=[]):
    cache.append(1)
    return x.sin()
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor):
    f.n += 1
    if f.n % 2:
        return x.sin()
    return x.cos()
f.n = 0
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor):
    return x * f.scale
f.scale = 2
g = torch.compile(f, backend="eager")
def form(x):
    for i in range(20):
        f.scale = i
        g(x)
    return x
""",
    """\
def f(x: Tensor):
    f.n = 0
    f.n += 1
    return x * f.n
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor):
    f.on = not f.on
    return x.sin() if f.on else x.cos()
f.on = False
form = torch.compile(f, backend="eager")
""",
    """\
def f(x: Tensor):
    f.kept["n"] += 1
    return x * f.kept["n"]
f.kept = {"n": 0}
form = torch.compile(f, backend="eager")
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        M.forward.calls += 1
        return x * M.forward.calls
M.forward.calls = 0
form = torch.compile(M(), backend="eager")
""",
    """\
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.it = iter(range(1000))
    def forward(self, x: Tensor):
        return x * next(self.it)
form = torch.compile(M(), backend="eager")
""",
    """\
it = itertools.cycle([1, 2])
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * next(it)
""",
    """\
it = itertools.repeat(2)
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * next(it)
""",
    """\
it = iter([torch.ones(4) for _ in range(20)])
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * next(it)
""",
    """\
it = zip(range(100), range(100))
@torch.compile(backend="eager")
def form(x: Tensor):
    a, b = next(it)
    return x * a
""",
    """\
it = enumerate(range(100))
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * next(it)[0]
""",
    """\
it = map(int, range(100))
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * next(it)
""",
    """\
counter = itertools.count()
tick = counter.__next__
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * tick()
""",
    """\
counter = itertools.count()
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * counter.__next__()
""",
    """\
counter = itertools.count()
@torch.compile(backend="eager")
def form(x: Tensor):
    c = counter
    return x * next(c)
""",
    """\
from itertools import count
counter = count(5)
def tick():
    return next(counter)
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * tick()
""",
    """\
counter = itertools.count()
@torch.compile(backend="eager")
def g(x: Tensor, n):
    return x * n
def form(x):
    return g(x, next(counter))
""",
    """\
counter = itertools.count()
@torch.compile(backend="eager")
def form(x: Tensor):
    for i in counter:
        if i > 3: break
        x = x + i
    return x
""",
    """\
counter = itertools.count(0.0, 0.5)
@torch.compile(backend="eager")
def form(x: Tensor):
    return x * next(counter)
""",
    """\
@torch.compile(backend="eager")
def form(x: Tensor, counter=itertools.count()):
    return x * next(counter)
""",
    """\
counter = itertools.count()
@torch.compile(backend="eager")
def g(x: Tensor, c):
    return x * next(c)
def form(x):
    return g(x, counter)
""",
    """\
@torch.compile(backend="eager")
def form(x: Tensor):
    form.count += 1
    return x * form.count
form.count = 0
""",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_state_that_costs_a_graph_per_value(program: str) -> None:
    source = HEAD + program

    with loaded(source) as module:

        def calls() -> None:
            for _ in range(12):
                module.form(torch.ones(4))

        graphs = graphs_compiled(calls)
    assert bool(reported(source, "TBR303")) is (graphs == 8)
