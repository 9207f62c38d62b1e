"""TBR313: ways to call flex_attention: reported if, and only if, torch warns that it runs without a compiler."""

from __future__ import annotations

import importlib

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, observe, require_torch

torch = require_torch()
flex = importlib.import_module("torch.nn.attention.flex_attention")
pytestmark = pytest.mark.oracle

HEAD = """
from functools import partial

import torch
from torch import nn

"""
PROGRAMS = [
    """\
from torch.nn.attention.flex_attention import flex_attention
def run(q): return flex_attention(q, q, q)
""",
    """\
import torch.nn.attention.flex_attention as fa
def run(q): return fa.flex_attention(q, q, q)
""",
    """\
from torch.nn.attention import flex_attention as fa
def run(q): return fa.flex_attention(q, q, q)
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
flex = flex_attention
def run(q): return flex(q, q, q)
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
flex = torch.compile(flex_attention, backend="aot_eager")
def run(q): return flex(q, q, q)
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
@torch.compile(backend="aot_eager")
def run(q): return flex_attention(q, q, q)
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
flex = partial(flex_attention, scale=0.5)
def run(q): return flex(q, q, q)
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
def go(q): return flex_attention(q, q, q)
def run(q): return go(q)
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
def go(q): return flex_attention(q, q, q)
run = torch.compile(go, backend="aot_eager")
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
class M(nn.Module):
    def forward(self, q): return flex_attention(q, q, q)
run = M()
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
class M(nn.Module):
    def forward(self, q): return flex_attention(q, q, q)
run = torch.compile(M(), backend="aot_eager")
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.flex = torch.compile(flex_attention, backend="aot_eager")
    def forward(self, q): return self.flex(q, q, q)
run = M()
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.flex = flex_attention
    def forward(self, q): return self.flex(q, q, q)
run = M()
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
class M(nn.Module):
    def forward(self, q): return flex_attention(q, q, q)
m = M()
m.compile(backend="aot_eager")
run = m
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
class M(nn.Module):
    def forward(self, q): return flex_attention(q, q, q)
m = M()
m.forward = torch.compile(m.forward, backend="aot_eager")
run = m
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
f = lambda q: flex_attention(q, q, q)
run = f
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
run = torch.compile(lambda q: flex_attention(q, q, q), backend="aot_eager")
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
attn = {"flex": flex_attention}
def run(q): return attn["flex"](q, q, q)
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
def run(q): return list(map(flex_attention, [q], [q], [q]))[0]
""",
    """\
from torch.nn.attention.flex_attention import flex_attention
@torch.compiler.disable
def go(q): return flex_attention(q, q, q)
@torch.compile(backend="aot_eager")
def run(q): return go(q)
""",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_where_torch_warns_of_the_full_matrix(program: str) -> None:
    source = HEAD + program
    with compiling(source) as module:
        flex._WARNINGS_SHOWN.discard("flex_attention_performance")  # given once in a process
        outcome = observe(module.run, torch.ones(1, 2, 128, 16))
    warned = any("without torch.compile()" in text for text in outcome.warnings)
    assert outcome.error is None
    assert bool(reported(source, "TBR313")) is warned
