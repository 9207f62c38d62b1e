"""TBR304, TBR310, TBR311, TBR312: functions that tracers call and do not look into."""

from __future__ import annotations

import itertools

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, observe, require_torch

require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import torch
import torch.fx
from torch import Tensor, nn
from torch.fx import symbolic_trace, wrap
from torch.fx.experimental.proxy_tensor import make_fx
from torch.library import custom_op

X = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)


"""
BODY = "def inner(x: Tensor) -> Tensor:\n    return x.sin() if x.sum() > 0 else x.cos()\n\n\n"
REST = """
def form(x: Tensor):
    return inner(x).abs()


class M(nn.Module):
    def forward(self, x: Tensor):
        return form(x)


def run():
    {}
"""
_NUMBERS = itertools.count()
FAKE = "@inner.register_fake\ndef _(x):\n    return torch.empty_like(x)\n\n\n"
LEAVES = {
    "plain": BODY,
    "wrap": "@wrap\n" + BODY,
    "fx.wrap": "@torch.fx.wrap\n" + BODY,
    "by name": 'wrap("inner")\n\n\n' + BODY,
    "by name, after": BODY + 'torch.fx.wrap("inner")\n',
    "another name": 'wrap("outer")\n\n\n' + BODY + "def outer(x):\n    return x\n",
    "custom_op": '@custom_op("tbr_forms::f{0}", mutates_args=())\n' + BODY + FAKE,
    "library.custom_op": '@torch.library.custom_op("tbr_forms::f{0}", mutates_args=())\n' + BODY + FAKE,
    "script": "@torch.jit.script\n" + BODY.replace("x.sum() > 0", "bool(x.sum() > 0)"),
    "disable": "@torch.compiler.disable\n" + BODY,
}
TRACERS = {
    "fx": ("TBR311", "return symbolic_trace(form) is not None"),
    "make_fx": ("TBR311", "return make_fx(form)(X) is not None"),
    "jit": ("TBR311", "return torch.equal(torch.jit.trace(form, (X - 5,), check_trace=False)(X), form(X))"),
    "export": ("TBR310", "return torch.equal(torch.export.export(M(), (X - 5,)).module()(X), form(X))"),
    "compile": ("TBR304", 'return torch.compile(form, backend="eager", fullgraph=True)(X) is not None'),
    "vmap": ("TBR312", "return torch.vmap(form)(X) is not None"),
}
OTHERS = {
    ("script", "fx"): "but instead found type 'Proxy'",
    ("script", "make_fx"): "failed in the TorchScript interpreter",
    ("script", "vmap"): "failed in the TorchScript interpreter",
    ("disable", "compile"): "Skip calling `torch.compiler.disable()`d function",
}
"""What fails for another reason than the branch, with a piece of what torch says."""


@pytest.mark.parametrize("tracer", TRACERS)
@pytest.mark.parametrize("leaf", LEAVES)
def test_what_is_not_looked_into(leaf: str, tracer: str) -> None:
    code, run = TRACERS[tracer]
    source = HEAD + LEAVES[leaf].replace("{0}", str(next(_NUMBERS))) + REST.format(run)
    with compiling(source) as module:
        outcome = observe(module.run)
    other = OTHERS.get((leaf, tracer))
    assert other is None or other in outcome.first_line
    assert bool(reported(source, code)) is (outcome.value is not True and other is None), outcome
