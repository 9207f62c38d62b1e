"""TBR212: how often a backward unpacks its saved tensors: reported if, and only if, the checkpointed step raises."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.agree import HEAD, reported, require_torch
from tests.oracle.support import loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

PROGRAM = (
    HEAD
    + """
def product(tensors):
    out = 1.0
    for t in tensors:
        out = out * t
    return out


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        ctx.kept = 2.0
        return x * w

    @staticmethod
    def helper(ctx):
        return ctx.saved_tensors

    @staticmethod
    def backward(ctx, g):
BODY


def region(x, w):
    return torch.sin(Scale.apply(x, w))


def form(x, w):
    return checkpoint(region, x, w, use_reentrant=REENTRANT)
"""
)
BODIES = [
    "x, w = ctx.saved_tensors\nreturn g * w, g * x",
    "saved = ctx.saved_tensors\nreturn g * saved[1], g * saved[0]",
    "x = ctx.saved_tensors[0]\nw = ctx.saved_tensors[1]\nreturn g * w, g * x",
    "return g * ctx.saved_tensors[1], g * ctx.saved_tensors[0]",
    "x, w = ctx.saved_tensors\nassert len(ctx.saved_tensors) == 2\nreturn g * w, g * x",
    "for t in ctx.saved_tensors:\n    t.shape\nx, w = ctx.saved_tensors\nreturn g * w, g * x",
    "[x, w] = [t for t in ctx.saved_tensors]\nreturn g * w, g * x",
    "if g.dim() == 2:\n    x, w = ctx.saved_tensors\nelse:\n    w, x = ctx.saved_tensors\nreturn g * w, g * x",
    "x, w = Scale.helper(ctx)\nreturn g * w, g * x",
    "x, w = Scale.helper(ctx)\nx, w = Scale.helper(ctx)\nreturn g * w, g * x",
    "c = ctx\nx, w = c.saved_tensors\nx, w = c.saved_tensors\nreturn g * w, g * x",
    "x, w = getattr(ctx, 'saved_tensors')\nx, w = ctx.saved_tensors\nreturn g * w, g * x",
    "def read():\n    return ctx.saved_tensors\nx, w = read()\nx, w = read()\nreturn g * w, g * x",
    "def read():\n    return ctx.saved_tensors\nx, w = read()\nreturn g * w, g * x",
    "outs = []\nfor i in range(2):\n    outs.append(g * ctx.saved_tensors[1 - i])\nreturn tuple(outs)",
    "outs = [g * ctx.saved_tensors[1 - i] for i in range(2)]\nreturn tuple(outs)",
    "product(ctx.saved_tensors)\nx, w = ctx.saved_tensors\nreturn g * w, g * x",
    "x, w = saved = ctx.saved_tensors\nproduct(saved)\nreturn g * w, g * x",
    "try:\n    x, w = ctx.saved_tensors\nfinally:\n    ctx.kept = None\nreturn g * w, g * x",
    "(lambda: ctx.saved_tensors)()\nx, w = ctx.saved_tensors\nreturn g * w, g * x",
    "return g * ctx.kept, g * ctx.kept",
]


def raises(source: str) -> bool:
    """True when a step of the form raises."""

    def step(module: Any) -> None:
        x, w = (torch.ones(3, 4, requires_grad=True) for _ in range(2))
        module.form(x, w).sum().backward()

    with loaded(source) as module:
        return observe(step, module).error is not None


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("body", BODIES)
def test_what_unpacks_twice_raises(body: str, reentrant: bool) -> None:
    lines = "\n".join(" " * 8 + line for line in body.splitlines())
    source = PROGRAM.replace("BODY", lines).replace("REENTRANT", str(reentrant))
    assert raises(source) is bool(reported(source, "TBR212"))
