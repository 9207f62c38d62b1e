"""TBR306: indices of rank 0 in compiled functions: a graph break, and an error with `fullgraph=True`."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, graphs_compiled, indented, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import torch
from torch import Tensor

X = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)


"""
PROGRAM = HEAD + '@torch.compile(backend="eager"{})\ndef form(x: Tensor):\n{}'
BODIES = [
    "return x[x.sum(1).argmax()]",
    "return x[:, x[0].argmax()]",
    "return x[x.argmin() - 0]",
    "return x[torch.argmax(x[:, 0])]",
    "return x[(x > 1).sum() - 4]",
    "return x[x.sum(1).argmax(), 1]",
    "return x[..., x.sum(0).argmax()]",
    "return x.select(0, x.sum(1).argmax())",
    "return torch.select(x, 0, x.sum(1).argmax())",
    "return x.narrow(0, x.sum(1).argmax(), 1)",
    "k = x.sum(1).argmax()\nreturn x[k]",
    "y = x.clone()\ny[x.sum(1).argmax()] = 0.0\nreturn y",
    "return x[x.sum(1).argmax()[None]]",
    "return x.index_select(0, x.sum(1).argmax())",
    "return x[x.argmax(0)]",
    "return x[x.argmax(dim=0)]",
    "return x.take(x.argmax())",
    "k = x.argmax()\nreturn x * k",
    "return x.select(0, 1)",
    "return x.narrow(0, 1, 1)",
    "k = 1\nreturn x[k]",
    "k = x.sum(1).argmax()\nreturn x[k : k + 1]",
]


@pytest.mark.parametrize("body", BODIES)
def test_indices_of_rank_0(body: str) -> None:
    lines = indented(body)
    source = PROGRAM.format(", fullgraph=True", lines)
    with compiling(source) as module:
        outcome = observe(module.form, module.X)
    assert bool(reported(source, "TBR306")) is (outcome.error is not None), outcome
    source = PROGRAM.format("", lines)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    with loaded(source) as module:
        graphs = graphs_compiled(lambda: module.form(module.X))
    broken = bool(torch._dynamo.utils.counters["graph_break"])
    assert graphs or not broken
    assert bool(reported(source, "TBR306")) is broken
