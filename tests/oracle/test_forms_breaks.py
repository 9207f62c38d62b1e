"""TBR306: what breaks a compiled graph without asking for a number: reported if, and only if, it does."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import graphs_compiled, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import torch
from torch import Tensor
"""
BODIES = [
    "bad = x.sum() is not None\nreturn x * bad",
    "s = str(x.sum())\nreturn x * len(s)",
    "s = repr(x.sum())\nreturn x * len(s)",
    "k = x.argmax()\nreturn x.flatten()[k:].sum()",
    "k = x.argmax()\ny = x.flatten()[k:k + 2]\nreturn y.sin()",
    "k = x.argmax()\ny = x.flatten().clone()\ny[k:] = 0\nreturn y.sin()",
    "k = x.argmax()\nys = [x, x.sin(), x.cos()][: k % 3]\nreturn x + len(ys)",
    "return torch.arange(x.abs().max()).sum() + x",
    "return torch.arange(0, x.abs().max()).sum() + x",
    "return torch.full((4,), x.sum()) + x",
    "return torch.full_like(x, x.sum()) + x",
    "return x.new_full((4,), x.sum()) + x",
    "return torch.tensor([x.sum(), 1.0]).sum() + x",
    "return x.new_tensor([x.sum(), 1.0]).sum() + x",
    "return torch.roll(x, x.argmax()).sin()",
    "return x.topk(x.argmax() * 0 + 2).values.sin()",
    "return torch.linspace(0, x.sum(), 4).sin()",
    "return x * any([t > 0 for t in x[0]])",
    "return x * any(x[0] > 0)",
    "return x * any([x[0, 0] > 0, x[0, 1] > 0])",
    "return x * all([x[0, 0] > 0, x[0, 1] > 0])",
    "return x * bool(x.sum() > 0)",
    "return x * sum(map(float, x.flatten()))",
    "d = {x.sum(): 1}\nreturn x * len(d)",
    "s = f'{x.shape} {x.dtype} {x.device}'\nreturn x.sin()",
    "if x.dim() > 3: raise ValueError(f'{x}')\nreturn x.sin()",
    "assert x.dim() == 2, f'{x}'\nreturn x.sin()",
    "if not torch.compiler.is_compiling(): s = f'{x}'\nreturn x.sin()",
    "s = f'{x.shape[0]}'\nreturn x.sin()",
    "s = '%s' % (x.shape,)\nreturn x.sin()",
    "s = str(x.shape)\nreturn x.sin()",
    "return x * any([x.dim() > 1, x.requires_grad])",
    "a, b = map(int, x.shape)\nreturn x * (a + b)",
    "return torch.arange(x.shape[0]).sum() + x",
    "return torch.roll(x, 1)",
    "it = iter(x)\nreturn next(it) + x",
    "a, b, c = x\nreturn a + b * c",
    "s = set([1, 2])\nreturn x * len(s)",
]


@pytest.mark.parametrize("body", BODIES)
def test_breaks_without_being_asked(body: str) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f'{HEAD}\n\n@torch.compile(backend="eager")\ndef form(x: Tensor):\n    x = x.tan()\n{lines}'
    with loaded(source) as module:
        found = graphs_compiled(lambda: module.form(torch.linspace(-1.0, 2.0, 12).reshape(3, 4)))
    assert bool(reported(source, "TBR306")) is (found != 1)
