"""TBR311: what Python makes of the sizes and ranks of a proxy: reported if, and only if, `fx.symbolic_trace` raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import indented, loaded, observe, require_torch

require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import math
import operator
from functools import partial, reduce

import torch
import torch.fx.experimental.proxy_tensor
from torch import Tensor, nn

W = torch.ones(4)
"""
BODIES = [
    # numbers
    "return x * int(x.shape[0] > 2)",
    "return x * int(x.shape[0])",
    "return x * float(x.shape[0])",
    "return x * bool(x.shape[0])",
    "return x * complex(x.shape[0])",
    "return x * int(x.numel())",
    "return x * int(x.size(0) / 2)",
    "return x * int(x.dim())",
    "return x * int(x.ndim)",
    "return x * float(x.stride(0))",
    "return x * int(-x.shape[0])",
    "return x * int(math.sqrt(x.shape[0]))",
    "return x * int(x.shape.numel())",
    "return x * int(x.shape == (4,))",
    "return x * round(x.shape[0] / 2, 1)",
    "return x * divmod(x.shape[0], 2)[0]",
    "return x * operator.index(x.shape[0])",
    "return x * max(x.shape[0], 1)",
    "return x * (x.shape[0] in (2, 3))",
    "n = x.shape[0]\nreturn x * int(n / 2)",
    "n, = x.shape\nreturn x * int(n / 2)",
    "x = x * 1\nreturn x * int(x.shape[0])",
    "x = torch.relu(x)\nreturn x * int(x.shape[0])",
    "y = x.sin()\nreturn x * int(y.shape[0])",
    # lengths and rounds
    "return x * len(x)",
    "return x * len(x.shape)",
    "return x.view(*x.shape)",
    "return x.view(*x.size())",
    "return x.view([*x.shape])",
    "return torch.zeros(*x.shape) + x",
    "s = x.shape\nreturn x.view(*s[:-1], 4)",
    "y, z = x.chunk(2)\nreturn y.view(*y.shape)",
    "a, *b = x.shape\nreturn x * a",
    "n = 1\nfor s in x.shape:\n    n = n * s\nreturn x * n",
    "return x * [s for s in x.shape][0]",
    "return x * [s for i, s in enumerate(x.shape)][0]",
    "return x * [s for s, t in zip(x.shape, (1, 2))][0]",
    "return x * next(iter(x.shape))",
    "return x.reshape(tuple(x.shape))",
    "return x * sum(x.shape)",
    "return x * reduce(operator.mul, x.shape)",
    "return x.permute(*range(x.dim()))",
    "for i in range(x.dim()):\n    x = x + i\nreturn x",
    "return torch.stack([*x])",
    # what a proxy records
    "return x * x.shape[0]",
    "return x * x.dim()",
    "return x * abs(x.shape[0])",
    "return x * (-x.shape[0])",
    "return x * pow(x.shape[0], 2)",
    "return x * math.floor(x.shape[0] / 2)",
    "return x * math.prod(x.shape)",
    "return x * x.shape.numel()",
    "return x.view(x.shape)",
    "n, = x.shape\nreturn x * n",
    "a, b = x.chunk(2)\nreturn a + b",
    "return x * sum([x.shape[0], 1])",
    "return x * len([x.shape[0]])",
    "return x * isinstance(x.shape[0], int)",
    "print(x.shape, len(W), *W.shape)\nreturn x",
    # what is no proxy
    "y = torch.ones(4)\nreturn x * int(y.shape[0])",
    "return x * int(W.shape[0])",
    "return x.view(*W.shape)",
]
OF_THE_PROXY = [
    "return x * len(str(x.shape[0]))",
    "return x * len(repr(x.shape[0]))",
    "return x * (hash(x.shape[0]) % 1000003)",
    "return x * len(format(x.shape[0]))",
    'return x * len(f"{x.shape[0]}")',
    "return x * {1: 2, 4: 5}.get(x.shape[0], 9)",
]
RECORDED = ["return x * x.shape[0].bit_length()", "return x * ([2] * x.shape[0])[0]"]
TRACED = "torch.fx.symbolic_trace(form)"
UNTOLD = [
    "return x * max([x.shape[0], 2])",
    "n = x.shape[0]\nn = int(n)\nreturn x * n",
    "return x * int(x.dtype == torch.float32)",
    "return x + torch.tensor([x.shape[0]])",
]
"""What raises and is not reported: sizes in a list, a name bound anew, what is no number."""

LAYERS = [
    "h = self.a(x)\nreturn h.view(*h.shape)",
    "h = self.a(x)\nreturn h * int(h.shape[0])",
    "return x * len(self.a(x))",
    "h = self.b(x).relu()\nreturn h.view(*h.shape[:-1], 4)",
    "for layer in self.c:\n    x = layer(x)\nreturn x.view(*x.shape)",
    "h = self.a(x)\nif h.dim() == 1:\n    h = h[None]\nreturn h",
    "h = self.a(x)\nreturn h * h.shape[0]",
    "h = self.a(W)\nreturn x * int(h.shape[0])",
    "return x * int(self.a.weight.shape[0])",
    "return x.view(*self.a.weight[0].shape)",
]
MODEL = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.c = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, {}):
{}


def run() -> object:
    return torch.fx.symbolic_trace(Model())
"""
FILLED = {
    "concrete_args={'k': 2}": True,
    "{'k': 2}": True,
    "concrete_args={}": True,
    "concrete_args=None": True,
    "concrete_args={'x': W, 'k': 2}": False,
    "concrete_args=dict(x=W)": False,
}
"""What is filled in beside the parameter that is asked for its size, and whether the trace raises."""


def program(body: str, run: str = TRACED, wrapped: str = "", taken: str = "x: Tensor") -> str:
    return f"{HEAD}{wrapped}\n\ndef form({taken}):\n{indented(body)}\n\ndef run() -> object:\n    return {run}\n"


def raises(source: str) -> bool:
    with loaded(source) as module:
        return observe(module.run).error is not None


@pytest.mark.parametrize("taken", ["x: Tensor", "x", "x, mask=None"])
@pytest.mark.parametrize("body", BODIES)
def test_what_a_proxy_refuses(body: str, taken: str) -> None:
    source = program(body, taken=taken)
    assert bool(reported(source, "TBR311")) is raises(source)


@pytest.mark.parametrize("taken", ["x: Tensor", "x"])
@pytest.mark.parametrize("body", LAYERS)
def test_what_a_layer_makes_of_a_proxy(body: str, taken: str) -> None:
    source = HEAD + MODEL.format(taken, indented(body, 8))
    assert bool(reported(source, "TBR311")) is raises(source)


@pytest.mark.parametrize("given", FILLED)
def test_what_is_filled_in_is_named(given: str) -> None:
    source = program("return x * int(x.shape[0])", f"torch.fx.symbolic_trace(form, {given})", taken="x, k=1")
    assert raises(source) is FILLED[given]
    assert bool(reported(source, "TBR311")) is raises(source)


@pytest.mark.parametrize("body", UNTOLD)
def test_known_misses(body: str) -> None:
    assert raises(program(body))
    assert not reported(program(body), "TBR311")


def differs(source: str) -> bool:
    """True where the traced program gives something else than the function."""
    with loaded(source) as module:
        x = module.W * 2
        return not module.torch.equal(module.run()(x), module.form(x))


@pytest.mark.parametrize("body", OF_THE_PROXY)
def test_what_a_proxy_gives_of_itself(body: str) -> None:
    source = program(body)
    assert differs(source)
    [[message]] = reported(source, "TBR311").values()
    assert "has a proxy's there, not the number's" in message


@pytest.mark.parametrize("body", RECORDED)
def test_what_a_proxy_records(body: str) -> None:
    assert not differs(program(body))
    assert not reported(program(body), "TBR311")


@pytest.mark.parametrize("wrapped", ["", 'torch.fx.wrap("len")\n', 'torch.fx.wrap("int")\n'])
def test_a_length_that_is_wrapped_is_recorded(wrapped: str) -> None:
    source = program("return x * len(x)", wrapped=wrapped)
    assert bool(reported(source, "TBR311")) is raises(source) is ("len" not in wrapped)


@pytest.mark.parametrize("given", ["form", "form, concrete_args={'x': W}"])
def test_what_is_filled_in_has_sizes(given: str) -> None:
    source = program("return x * int(x.shape[0])", f"torch.fx.symbolic_trace({given})")
    assert bool(reported(source, "TBR311")) is raises(source) is (given == "form")


@pytest.mark.parametrize("tracer", ["torch.jit.trace(form, W)", "torch.fx.experimental.proxy_tensor.make_fx(form)(W)"])
def test_other_tracers_have_sizes(tracer: str) -> None:
    source = program("return x.view(*x.shape) * int(x.shape[0])", tracer)
    assert not reported(source, "TBR311")
    assert not raises(source)
