"""TBR304, TBR305: which `assert` on a tensor compile records and which cuts the graph: that one is reported."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, graphs_compiled, indented, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import contextlib
import math

import torch
from torch import Tensor


def low(t: Tensor) -> Tensor:
    return t.sum() < 100


"""
BODIES = [
    "assert x.sum() < 100",
    'assert x.sum() < 100, "sum"',
    'assert x.sum() < 100, "a" + "b"',
    'assert x.sum() < 100, f"a"',
    'assert x.sum() < 100, f"{x.sum()}"',
    'assert x.sum() < 100, "%s" % x.shape[0]',
    "assert not x.isnan().any()",
    'assert not torch.isnan(x).any(), "nan"',
    "assert not (x.sum() > 100)",
    "assert not low(x + 1000)",
    "assert low(x)",
    "assert x.sum() > -100 and x.max() > 0",
    "assert x.sum() > -100 or x.max() > 0",
    "assert x.dim() == 2 and x.sum() < 100",
    "assert x.sum() < 100 and x.dim() == 2",
    "assert x.dim() == 2 and not x.isnan().any()",
    "assert x.dim() == 3 or x.sum() < 100",
    "assert x.sum() is not None and x.sum() < 100",
    "assert -100 < x.sum() < 100",
    "assert 7.0 not in x",
    "assert bool(x.sum() < 100)",
    "assert (x.sum() < 100).item()",
    "assert x.sum().item() < 100",
    "assert float(x.sum()) < 100 and x.dim() == 2",
    "assert not bool(x.sum() > 100)",
    "assert -100 < x.sum().item() < 100",
    "assert bool(x.sum() < 100) and bool(x.max() < 50)",
    "assert math.isfinite(x.sum())",
    "assert torch.allclose(x, x)",
    "assert torch.equal(x, x)",
    "assert all(x[0] < 100)",
    "assert x.long().tolist()[0][0] < 100",
    "assert (ok := x.sum() < 100)",
    "ok = x.sum() < 100\nassert ok",
    "assert (x.sum() < 100) == True",
    "assert (x.sum() < 100) is not False",
    "assert min(x.sum(), x.max()) < 100",
    "assert x.sum() < 100 if x.dim() == 2 else True",
    "assert True if x.sum() < 100 else False",
    "for i in range(2):\n    assert x.sum() < 100\n    x = x + 1",
    "for i in range(2):\n    assert not x.sum() > 100\n    x = x + 1",
    "with contextlib.suppress(ValueError):\n    assert not x.sum() > 100",
    "with torch.no_grad():\n    assert not x.sum() > 100",
    "try:\n    assert x.sum() < 100 and x.max() < 100\nfinally:\n    pass",
    "assert x.dim() == 2 and x.shape[1] == 4",
    "assert x.dtype == torch.float32 and not x.requires_grad",
    "assert not x.is_cuda",
]


def _source(body: str, options: str = "") -> str:
    head = f'{HEAD}@torch.compile(backend="eager"{options})\ndef form(x: Tensor) -> Tensor:\n    x = x.tan()\n'
    return f"{head}{indented(body)}    return x.sin()\n"


@pytest.mark.parametrize("body", BODIES)
def test_which_assert_is_recorded(body: str) -> None:
    source = _source(body)
    with loaded(source) as module:
        graphs = graphs_compiled(lambda: module.form(torch.linspace(-1.0, 2.0, 12).reshape(3, 4)))
    assert bool(reported(source, "TBR305")) is (graphs == 0)
    assert bool(reported(source, "TBR304")) is (graphs > 1)


@pytest.mark.parametrize("body", BODIES)
def test_which_assert_fullgraph_refuses(body: str) -> None:
    source = _source(body, ", fullgraph=True")
    with compiling(source) as module:
        outcome = observe(module.form, torch.linspace(-1.0, 2.0, 12).reshape(3, 4))
    assert bool(reported(source, "TBR304")) is (outcome.error is not None)
