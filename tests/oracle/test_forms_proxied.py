"""TBR311: what a test under `fx.symbolic_trace` may ask of its inputs, and what `make_fx` and `jit.trace` answer."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import indented, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import torch
from torch import Tensor, nn
from torch.fx import Proxy, symbolic_trace
from torch.fx.experimental.proxy_tensor import make_fx

X = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)


"""
FORM = HEAD + "def form(x: Tensor):\n{}\n\ndef run():\n    {}\n"
TESTS = [
    "x.dim() == 2",
    "x.ndim == 2",
    "x.ndim > 1",
    "x.ndimension() == 2",
    "len(x.shape) == 2",
    "2 == x.dim()",
    "x.dim() in (2, 3)",
    "x.requires_grad",
    "not x.requires_grad",
    "x.requires_grad and torch.is_grad_enabled()",
    "torch.is_grad_enabled() and x.requires_grad",
    "x.is_cuda",
    "x.is_leaf",
    "x.dtype == torch.float32",
    "x.dtype != torch.float32",
    "x.dtype in (torch.half, torch.bfloat16)",
    "x.device.type == 'cpu'",
    "x.device == torch.device('cpu')",
    "x.is_contiguous()",
    "x.is_floating_point()",
    "torch.is_floating_point(x)",
    "x.element_size() == 4",
    "x.layout == torch.strided",
    "x.sin().dim() == 2",
    "(x + 1).dtype == torch.float32",
    "torch.is_tensor(x)",
    "isinstance(x, Tensor)",
    "x is None",
    "x is not None",
    "x.grad is None",
    "hasattr(x, 'sin')",
    "torch.is_grad_enabled()",
    "torch.ones(3).dim() == 1",
    "X.dim() == 2",
    "X.requires_grad",
    "not isinstance(x, Proxy) and x.dim() == 2",
]
TRACERS = {
    "fx": "return symbolic_trace(form) is not None",
    "make_fx": "return make_fx(form)(X) is not None",
    "jit": "return torch.jit.trace(form, (X,), check_trace=False) is not None",
}
BODIES = [
    "if {}:\n    return x.sin()\nreturn x.cos()",
    "return x.sin() if {} else x.cos()",
]
PROGRAMS = [
    "class M(nn.Module):\n    def forward(self, x: Tensor):\n        return x if x.dim() == 2 else x[None]\n\n\n"
    "def run():\n    return symbolic_trace(M()) is not None\n",
    "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.register_buffer('b', X)\n\n    def forward(self, x: Tensor):\n"
    "        return x if self.b.dim() == 2 else x[None]\n\n\ndef run():\n    return symbolic_trace(M()) is not None\n",
    "def form(x: Tensor, k: int = 2):\n    return x if k == 2 else x[None]\n\n\n"
    "def run():\n    return symbolic_trace(form, concrete_args={'k': 2}) is not None\n",
    "def form(x: Tensor, y: Tensor):\n    return x if y.dim() == 2 else x[None]\n\n\n"
    "def run():\n    return symbolic_trace(form, concrete_args={'y': X}) is not None\n",
    "@torch.fx.wrap\ndef inner(x: Tensor):\n    return x if x.dim() == 2 else x[None]\n\n\n"
    "def form(x: Tensor):\n    return inner(x)\n\n\ndef run():\n    return symbolic_trace(form) is not None\n",
    "def form(x: Tensor):\n    assert x.dim() == 2\n    return x.sin()\n\n\n"
    "def run():\n    return symbolic_trace(form) is not None\n",
    "def form(x: Tensor):\n    if x.dim() != 2:\n        raise ValueError('rank')\n    return x.sin()\n\n\n"
    "def run():\n    return symbolic_trace(form) is not None\n",
    "def form(x: Tensor):\n    if isinstance(x, Proxy):\n        return x.sin()\n"
    "    return x if x.dim() == 2 else x[None]\n\n\n"
    "def run():\n    return symbolic_trace(form) is not None\n",
]


def _agree(source: str) -> None:
    with loaded(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR311")) is (outcome.value is not True), outcome


@pytest.mark.parametrize("tracer", TRACERS)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("body", BODIES)
def test_what_a_proxy_answers(body: str, test: str, tracer: str) -> None:
    lines = indented(body.format(test))
    _agree(FORM.format(lines, TRACERS[tracer]))


@pytest.mark.parametrize("program", PROGRAMS)
def test_which_values_are_proxies(program: str) -> None:
    _agree(HEAD + program)
