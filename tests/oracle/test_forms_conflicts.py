"""TBR314: ways to checkpoint inside of compiled code: reported if, and only if, the step fails."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import contextlib
from functools import partial

import torch
import torch.utils.checkpoint as cp
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

S = {"n": 0}
SEEN = []
COUNT = 0


select = create_selective_checkpoint_contexts


def policy():
    return create_selective_checkpoint_contexts([torch.ops.aten.mm.default])


"""
PROGRAMS = [
    """\
def block(x):
    SEEN.append(1)
    return x.sin().exp()
@torch.compile(fullgraph=True, backend="aot_eager")
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
def block(x):
    S["n"] = S["n"] + 1
    return x.sin().exp()
@torch.compile(fullgraph=True, backend="aot_eager")
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
def block(x):
    global COUNT
    COUNT += 1
    return x.sin().exp()
@torch.compile(fullgraph=True, backend="aot_eager")
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
class B(nn.Module):
    def forward(self, x):
        self.last = x.sum()
        return x.sin().exp()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = B()
    def forward(self, x): return checkpoint(self.b, x, use_reentrant=False)
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
class M(nn.Module):
    def forward(self, x): return checkpoint(self.inner, x, use_reentrant=False)
    def inner(self, x):
        self.last = x.sum()
        return x.sin().exp()
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
class M(nn.Module):
    def forward(self, x): return checkpoint(self.inner, x, use_reentrant=False)
    def inner(self, x):
        self.last = x.sum()
        return x.sin().exp()
run = torch.compile(M(), backend="aot_eager")
""",
    """\
class M(nn.Module):
    def forward(self, x): return checkpoint(lambda t: self.keep(t).exp(), x, use_reentrant=False)
    def keep(self, x):
        setattr(self, "last", x.sum())
        return x.sin()
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
class M(nn.Module):
    def forward(self, x):
        outs = []
        def inner(t):
            outs.append(t)
            return t.sin().exp()
        y = checkpoint(inner, x, use_reentrant=False)
        return y
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
class M(nn.Module):
    def forward(self, x):
        def inner(t):
            outs = []
            outs.append(t.sin())
            return outs[0].exp()
        return checkpoint(inner, x, use_reentrant=False)
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(()))
    def forward(self, x): return checkpoint(self.inner, x, use_reentrant=False)
    def inner(self, x):
        self.n.add_(1)
        return x.sin().exp()
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
def block(x):
    return torch.cond(x.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (x,))
@torch.compile(backend="aot_eager")
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
def block(x):
    return torch.cond(x.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (x,))
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
def pick2(t): return torch.cond(t.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (t,))
def block(x): return pick2(x).exp()
@torch.compile(backend="aot_eager")
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
@torch.compile(backend="aot_eager")
def run(x): return checkpoint(block, x, use_reentrant=False, context_fn=policy)
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
@torch.compile(backend="aot_eager")
def run(x): return checkpoint(block, x, use_reentrant=False, context_fn=lambda: policy())
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
@torch.compile(backend="aot_eager")
def run(x):
    def own(): return policy()
    return checkpoint(block, x, use_reentrant=False, context_fn=own)
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
fn = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
@torch.compile(backend="aot_eager")
def run(x):
    return checkpoint(block, x, use_reentrant=False, context_fn=fn)
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
@torch.compile(backend="aot_eager")
def run(x):
    return checkpoint(block, x, use_reentrant=False, context_fn=partial(select, [torch.ops.aten.mm.default]))
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
fn = lambda: policy()
@torch.compile(backend="aot_eager")
def run(x):
    return checkpoint(block, x, use_reentrant=False, context_fn=fn)
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
class M(nn.Module):
    def ctx(self): return policy()
    def forward(self, x):
        return checkpoint(block, x, use_reentrant=False, context_fn=self.ctx)
run = torch.compile(M(), backend="aot_eager")
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
class M(nn.Module):
    @staticmethod
    def ctx(): return policy()
    def forward(self, x):
        return checkpoint(block, x, use_reentrant=False, context_fn=self.ctx)
run = torch.compile(M(), backend="aot_eager")
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
def two(): return contextlib.nullcontext(), contextlib.nullcontext()
@torch.compile(backend="aot_eager")
def run(x):
    return checkpoint(block, x, use_reentrant=False, context_fn=two)
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
def two(): return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)
@torch.compile(backend="aot_eager")
def run(x):
    return checkpoint(block, x, use_reentrant=False, context_fn=two)
""",
    """\
def block(x): return torch.mm(x, x.t()).sin()
def two(): return contextlib.nullcontext(), contextlib.nullcontext()
def run(x):
    return checkpoint(block, x, use_reentrant=False, context_fn=two)
""",
    """\
def block(x): return x.sin().exp()
ck = partial(checkpoint, use_reentrant=False)
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x): return ck(block, x)
""",
    """\
def block(x):
    SEEN.append(1)
    return x.sin().exp()
ck = partial(checkpoint, use_reentrant=False)
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x): return ck(block, x)
""",
    """\
def block(x):
    SEEN.append(1)
    return x.sin().exp()
def go(f, x): return cp.checkpoint(f, x, use_reentrant=False)
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x): return go(block, x)
""",
    """\
def block(x):
    block.calls = 1
    return x.sin().exp()
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
def block(x, cache):
    cache["k"] = x
    return x.sin().exp()
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x):
    cache = {}
    return checkpoint(block, x, cache, use_reentrant=False)
""",
    """\
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.flag = True
    def forward(self, x): return checkpoint(self.inner, x, use_reentrant=False)
    def inner(self, x):
        self.flag = True
        return x.sin().exp()
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 0
    def forward(self, x): return checkpoint(self.inner, x, use_reentrant=False)
    def inner(self, x):
        self.n += 1
        return x.sin().exp()
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
class M(nn.Module):
    def forward(self, x):
        n = 0
        def inner(t):
            nonlocal n
            n += 1
            return t.sin().exp()
        return checkpoint(inner, x, use_reentrant=False)
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
def block(x):
    x.add_(0)
    return x.sin().exp()
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x): return checkpoint(block, x * 1, use_reentrant=False)
""",
    """\
class M(nn.Module):
    def forward(self, x): return checkpoint(self.inner, x, use_reentrant=False)
    def inner(self, x):
        object.__setattr__(self, "last", x.sum())
        return x.sin().exp()
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
class M(nn.Module):
    def forward(self, x): return checkpoint(self.inner, x, use_reentrant=False)
    def inner(self, x):
        self.__dict__["last"] = 1
        return x.sin().exp()
run = torch.compile(M(), fullgraph=True, backend="aot_eager")
""",
    """\
def block(x, outs):
    outs.append(x)
    return x.sin().exp()
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x):
    outs = []
    y = checkpoint(block, x, outs, use_reentrant=False)
    return y
""",
    """\
def fill(outs, t):
    outs.append(t)
def block(x):
    outs = []
    fill(outs, x.sin())
    return outs[0].exp()
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
def block(x):
    d = {}
    d["a"] = x.sin()
    return d["a"].exp()
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
def block(x, outs):
    return x.sin().exp() * len(outs)
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x):
    outs = [1]
    return checkpoint(block, x, outs, use_reentrant=False)
""",
    """\
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x):
    kept = {}
    def block(t):
        kept["t"] = t.sum()
        return t.sin().exp()
    return checkpoint(block, x, use_reentrant=False)
""",
    """\
def block(x):
    y = x.clone()
    y[0] = 0
    return y.sin().exp()
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x): return checkpoint(block, x, use_reentrant=False)
""",
    """\
@torch.compile(backend="aot_eager", fullgraph=True)
def run(x):
    y = x * 1
    def block(t):
        y[0] = 0
        return t.sin().exp()
    return checkpoint(block, x, use_reentrant=False)
""",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_checkpoints_in_compiled_code(program: str) -> None:
    source = HEAD + program
    x = torch.linspace(-1.0, 2.0, 12).reshape(3, 4).requires_grad_()
    with compiling(source) as module:
        outcome = observe(lambda: module.run(x).sum().backward())
    assert bool(reported(source, "TBR314")) is (outcome.error is not None)
