"""TBR304, TBR310, TBR311: tests that ask for a tracer keep code out of those under which they say yes, of no others."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, indented, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import torch
from torch import Tensor, nn
from torch.compiler import is_compiling as compiling
from torch.fx import symbolic_trace
from torch.fx._symbolic_trace import is_fx_symbolic_tracing, is_fx_tracing
from torch.fx.experimental.proxy_tensor import make_fx
from torch.jit import is_tracing

X = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)


def recorded() -> bool:
    return torch.jit.is_scripting() or torch.jit.is_tracing()


def eager() -> bool:
    return not torch.jit.is_tracing()


def form(x: Tensor):
"""
ASKED = [
    "torch.jit.is_tracing()",
    "is_tracing()",
    "torch._C._get_tracing_state()",
    "torch.jit.is_scripting()",
    "torch.compiler.is_compiling()",
    "compiling()",
    "torch.compiler.is_dynamo_compiling()",
    "torch.compiler.is_exporting()",
    "is_fx_tracing()",
    "is_fx_symbolic_tracing()",
    "recorded()",
    "(torch.jit.is_tracing() or torch.compiler.is_compiling())",
    "(torch.jit.is_tracing() or is_fx_tracing())",
]
GUARDS = [
    "if not {0}:\n    if x.sum() > 0:\n        return x.sin()\nreturn x.cos()",
    "if not {0} and x.sum() > 0:\n    return x.sin()\nreturn x.cos()",
    "if {0}:\n    return x.cos()\nreturn x.sin() if x.sum() > 0 else x.cos()",
    "if {0}:\n    return x.cos()\nelse:\n    return x.sin() if x.sum() > 0 else x.cos()",
    "asked = {0}\nif asked or x.sum() < 0:\n    return x.cos()\nreturn x.sin()",
    "return x.cos() if {0} else x.sin() if x.sum() > 0 else x.cos()",
]
TRACERS = {
    "jit": (
        "TBR311",
        "first, second = (torch.jit.trace(form, (t,), check_trace=False) for t in (X - 5, X))\n"
        "    return torch.equal(first(X), second(X))",
    ),
    "fx": ("TBR311", "return symbolic_trace(form) is not None"),
    "make_fx": ("TBR311", "return make_fx(form)(X) is not None"),
    "export": ("TBR310", "return torch.export.export(M(), (X,)) is not None"),
    "strict": ("TBR310", "return torch.export.export(M(), (X,), strict=True) is not None"),
    "compile": ("TBR304", 'return torch.compile(form, backend="eager", fullgraph=True)(X) is not None'),
}
MODULE = "class M(nn.Module):\n    def forward(self, x: Tensor):\n        return form(x)\n\n\n"


def _agree(body: str, tracer: str) -> None:
    code, run = TRACERS[tracer]
    source = f"{HEAD}{indented(body)}\n\n{MODULE}def run():\n    {run}\n"
    with compiling(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, code)) is (outcome.value is not True), (source, outcome)


@pytest.mark.parametrize("tracer", TRACERS)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("guard", GUARDS[:3])
def test_what_answers_to_a_tracer(guard: str, asked: str, tracer: str) -> None:
    _agree(guard.format(asked), tracer)


@pytest.mark.parametrize("tracer", TRACERS)
@pytest.mark.parametrize("asked", ["torch.jit.is_tracing()", "torch.jit.is_scripting()", "compiling()"])
@pytest.mark.parametrize("guard", GUARDS[3:])
def test_ways_to_ask(guard: str, asked: str, tracer: str) -> None:
    _agree(guard.format(asked), tracer)
