"""TBR311: numbers that a traced function makes of its input: reported if, and only if, the trace is wrong elsewhere."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import indented, loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import math

import torch
import torch.fx
from torch import Tensor, nn
from torch.fx.experimental.proxy_tensor import make_fx


def peak(x: Tensor) -> float:
    return x.max().item()


def form(x: Tensor) -> Tensor:
"""
BODIES = [
    "return x * x.max().item()",
    "return x * float(x.max())",
    "return x * int(x.max())",
    "n = int(x.max())\nreturn x * n",
    "s = x.max().item()\nreturn x * s",
    "s = x.tolist()\nreturn x * s[0]",
    "s = x.tolist()\nreturn torch.tensor(s) * 2",
    "return x * math.sqrt(x.max())",
    "return x * math.sqrt(x.max().item())",
    "return x * bool(x.max() > 2)",
    "print(x.max().item())\nreturn x * 2",
    "return x[: int(x.max())]",
    "return x[int(x.max())]",
    "i = int(x.max())\nreturn x[i]",
    "return x * len(x.tolist())",
    "return x * x.shape[0]",
    "return x * x.size(0)",
    "return x * x.sum()",
    "return x * int(x.shape[0])",
    "return x * x.numel()",
    "return torch.full_like(x, x.max().item())",
    "return x * x.detach().max()",
    "return x * float(x.max().detach().cpu().numpy())",
    "return x * x.detach().cpu().numpy()[0]",
    "return torch.from_numpy(x.detach().numpy()) * 2",
    "return x * torch.tensor(x.max())",
    "return x.clamp(max=float(x.mean()))",
    "return torch.arange(int(x.max())).float()",
    "s = x.max().item()\ns = s + 1\nreturn x * s",
    "s = x.max().item()\nreturn x * 2",
    "return [x.sin(), x.cos()][int(x.max()) - 2]",
    "return torch.split(x, [int(x.min()), 4 - int(x.min())])[0]",
    "return x.narrow(0, 0, int(x.max()))",
    "return x * peak(x)",
    "print(peak(x))\nreturn x * 2",
    "y = x.sin()\ny *= x.max().item()\nreturn y",
]
EXAMPLE, OTHER = torch.tensor([1.0, 1.0, 2.0, 3.0]), torch.tensor([2.0, 0.5, 0.25, 1.0])


def program(body: str, tracer: str) -> str:
    return f"{HEAD}{indented(body)}\n\ndef run() -> object:\n    return {tracer}\n"


@pytest.mark.parametrize("body", BODIES)
def test_numbers_that_a_trace_freezes(body: str) -> None:
    source = program(body, "torch.jit.trace(form, torch.tensor([1.0, 1.0, 2.0, 3.0]), check_trace=False)")
    with loaded(source) as module:
        traced = observe(module.run).value
        found, right = observe(traced, OTHER), observe(module.form, OTHER).value
        again = observe(traced, EXAMPLE)
        assert again.error is not None or torch.equal(again.value, observe(module.form, EXAMPLE).value)
    wrong = found.error is not None or found.value.shape != right.shape or not torch.equal(found.value, right)
    assert bool(reported(source, "TBR311")) is wrong


SYMBOLIC = [
    "return x * x.max().item()",
    "return x * float(x.max())",
    "return x * int(x.max())",
    "return x * bool(x.max() > 2)",
    "return x * int(x.shape[0] > 2)",
    "return x * x.max()",
]


@pytest.mark.parametrize("tracer", ["torch.fx.symbolic_trace(form)", "make_fx(form)(torch.tensor([1.0, 3.0]))"])
@pytest.mark.parametrize("body", SYMBOLIC)
def test_conversions_that_symbolic_tracers_refuse(body: str, tracer: str) -> None:
    source = program(body, tracer)
    with loaded(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR311")) is (outcome.error is not None)
