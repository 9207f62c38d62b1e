"""TBR306: what breaks a compiled graph without asking for a number: reported if, and only if, it does."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import graphs_compiled, indented, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import math
import operator
from functools import partial
from operator import methodcaller

import torch
from torch import Tensor


def apply(f, t):
    return f(t)
"""
BODIES = [
    # a number by reference
    "read = x.sum().item\nreturn x * read()",
    "read = getattr(x.sum(), 'item')\nreturn x * read()",
    "return x * getattr(x.sum(), 'item')()",
    "read = torch.Tensor.item\nreturn x * read(x.sum())",
    "return x * torch.Tensor.item(x.sum())",
    "return x * sum(map(torch.Tensor.item, [x.sum(), x.max()]))",
    "return x * sum(map(float, [x.sum(), x.max()]))",
    "return x * sum(map(lambda t: t.item(), [x.sum(), x.max()]))",
    "return x * sum(map(methodcaller('item'), [x.sum(), x.max()]))",
    "return x * operator.methodcaller('item')(x.sum())",
    "read = partial(torch.Tensor.item, x.sum())\nreturn x * read()",
    "fs = {'a': x.sum().item}\nreturn x * fs['a']()",
    "for read in (x.sum().item, x.max().item):\n    x = x * read()\nreturn x",
    "number = float\nreturn x * number(x.sum())",
    "return x * apply(torch.Tensor.item, x.sum())",
    "return x * apply(float, x.sum())",
    "read = x.tolist\nreturn x * len(read())",
    "return x * x.sum().__float__()",
    "return x * x.sum().long().__int__()",
    "return x * (x.sum() > 0).__bool__()",
    "return x * x.__contains__(1.0)",
    "return x * operator.truth(x.sum() > 0)",
    "return x * operator.not_(x.sum() > 0)",
    "return x * operator.contains(x, 1.0)",
    "return x * x.sum().numpy().item()",
    "return x * float(x.sum().numpy())",
    "root = x.sum().sqrt\nreturn x * root()",
    "return x * methodcaller('sum')(x)",
    "return x * sum(map(torch.Tensor.sum, [x, x.sin()]))",
    "return x * apply(torch.sum, x)",
    "return x * sum(map(float, x.shape))",
    "read = x.dim\nreturn x * read()",
    "return x * operator.contains(x.shape, 3)",
    "return x * operator.gt(x.sum(), 0)",
    "return x * (x.numpy() * 2).sum()",
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
    "k = bool(x.sum() > 0)\nreturn x * k",
    "scales = {True: 1, False: 2}\nk = bool(x.sum() > 0)\nreturn x * scales[k]",
    "k = bool(x.sum() > 0)\nreturn x * 2, k",
    "k = bool(x.isfinite().all())\ny = x.sin()\nreturn y, k",
    "k = bool(x.dim() > 1)\nreturn x * 2, k",
    "k = bool(x.dim() > 1)\nreturn x * k",
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
    source = f'{HEAD}\n\n@torch.compile(backend="eager")\ndef form(x: Tensor):\n    x = x.tan()\n{indented(body)}'
    with loaded(source) as module:
        found = graphs_compiled(lambda: module.form(torch.linspace(-1.0, 2.0, 12).reshape(3, 4)))
    assert bool(reported(source, "TBR306")) is (found != 1)


DEFAULTS = {
    "read=torch.Tensor.item": "x * read(x.sum())",
    "read=float": "x * read(x.sum())",
    "*, read=operator.methodcaller('item')": "x * read(x.sum())",
    "read=lambda t: t.sum().item()": "x * read(x)",
    "read=lambda t: t.sum()": "x * read(x)",
    "read=torch.sum": "x * read(x)",
    "read=len": "x * read(x)",
}
"""Functions that a parameter is by default, and their use."""


@pytest.mark.parametrize("default", DEFAULTS)
def test_functions_by_default(default: str) -> None:
    signature = f"def form(x: Tensor, {default}):\n    x = x.tan()\n    return {DEFAULTS[default]}\n"
    source = f'{HEAD}\n\n@torch.compile(backend="eager")\n{signature}'
    with loaded(source) as module:
        found = graphs_compiled(lambda: module.form(torch.linspace(-1.0, 2.0, 12).reshape(3, 4)))
    assert bool(reported(source, "TBR306")) is (found != 1)


SIZED = [
    "torch.combinations(x.flatten())",
    "torch.combinations(x.flatten(), r=3)",
    "torch.cartesian_prod(x.flatten(), x.flatten())",
    "x.__getitem__(x > 0)",
    "x.__getitem__(0)",
    "torch.Tensor.__getitem__(x, x > 0)",
    "torch.Tensor.__getitem__(x, 0)",
    "operator.getitem(x, x > 0)",
    "operator.getitem(x, 0)",
    "torch.tril_indices(3, 3)",
    "torch.repeat_interleave(x.flatten(), torch.ones(12).long(), output_size=12)",
    "torch.repeat_interleave(x.flatten(), x.flatten().long().abs())",
]
"""Results whose size values decide, as far as the compiler knows, and others."""


@pytest.mark.parametrize("form", SIZED)
def test_sizes_of_results(form: str) -> None:
    source = (
        f'{HEAD}\n\n@torch.compile(backend="eager")\ndef form(x: Tensor):\n    x = x.tan()\n    return {form}.sin()\n'
    )
    with loaded(source) as module:
        found = graphs_compiled(lambda: module.form(torch.linspace(-1.0, 2.0, 12).reshape(3, 4)))
    assert bool(reported(source, "TBR307")) is (found != 1)
