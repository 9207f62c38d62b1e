"""TBR307: ways to give a result a size that values decide: reported if, and only if, the graph breaks there."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import graphs_compiled, indented, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import operator

import torch
import torch.nn.functional as F
from torch import Tensor


@torch.compile(backend="eager")
def form(x: Tensor):
    x = x.tan()
"""
BODIES = [
    "return x[x > 0].sum() + x.sin()",
    "m = x > 0\nreturn x[m].sum() + x.sin()",
    "return torch.masked_select(x, x > 0).sum() + x.sin()",
    "return x.masked_select(x > 0).sum() + x.sin()",
    "return torch.nonzero(x).sum() + x.sin()",
    "i = x.nonzero(as_tuple=True)\nreturn x[i].sum() + x.sin()",
    "i, j = torch.where(x > 0)\nreturn x[i, j].sum() + x.sin()",
    "return torch.where(x > 0, x, 0.0).sum() + x.sin()",
    "return torch.unique(x).sum() + x.sin()",
    "u, c = torch.unique(x, return_counts=True)\nreturn u.sum() + x.sin()",
    "return torch.argwhere(x > 0).sum() + x.sin()",
    "return torch.bincount(x.abs().long().flatten()).sum() + x.sin()",
    "return torch.bincount(x.abs().long().flatten(), minlength=4).sum() + x.sin()",
    "return x.flatten().repeat_interleave(x.abs().long().flatten()).sum() + x.sin()",
    "return x.repeat_interleave(2).sum() + x.sin()",
    "y = x.clone()\ny[x > 0] = 0.0\nreturn y.sin()",
    "y = x.clone()\ny[x > 0] = x[x > 0] * 2\nreturn y.sin()",
    "y = x.clone()\ny[x > 0] += 1\nreturn y.sin()",
    "y = x.clone()\ny[x > 0] *= 2.0\nreturn y.sin()",
    "pick = torch.nonzero\nreturn pick(x).sum() + x.sin()",
    "nz = x.nonzero\nreturn nz().sum() + x.sin()",
    "sel = operator.getitem(x, x > 0)\nreturn sel.sum() + x.sin()",
    "return x[x.bool()].sum() + x.sin()",
    "return x[~x.isnan()].sum() + x.sin()",
    "return x[(x > 0) & (x < 1)].sum() + x.sin()",
    "return x[torch.logical_and(x > 0, x < 1)].sum() + x.sin()",
    "return x[x.argsort()[:, :2][:, 0]].sum() + x.sin()",
    "return torch.take(x, torch.tensor([0, 1])).sum() + x.sin()",
    "return x.unique_consecutive().sum() + x.sin()",
    "return torch.unique_consecutive(x.flatten()).sum() + x.sin()",
    "return F.one_hot(x.abs().long()).sum() + x.sin()",
    "return F.one_hot(x.abs().long(), 9).sum() + x.sin()",
    "return x[x.sum(1) > 0].sum() + x.sin()",
    "return x[:, x[0] > 0].sum() + x.sin()",
    "return x[x > 0].numel() * x",
    "return torch.count_nonzero(x) + x.sin()",
    "return torch.cartesian_prod(x[0], x[1]).sum() + x.sin()",
    "return torch.histc(x, 4).sum() + x.sin()",
    "return torch.nonzero_static(x, size=4).sum() + x.sin()",
    "return x.to_sparse().sum() + x.sin()",
    "return torch.tensor_split(x, torch.tensor([1])) [0].sum() + x.sin()",
    "idx = (x > 0).nonzero().squeeze()\nreturn x.sin() + idx.sum()",
    "f = lambda t: t[t > 0]\nreturn f(x).sum() + x.sin()",
    "sl = [x > 0]\nreturn x[sl[0]].sum() + x.sin()",
    'd = {"m": x > 0}\nreturn x[d["m"]].sum() + x.sin()',
    "return torch.index_select(x, 0, (x[:, 0] > 0).nonzero().flatten()).sum() + x.sin()",
    "with torch.no_grad():\n    k = x[x > 0]\nreturn x.sin() + k.sum()",
    "for i in range(2):\n    x = x + x[x > 0].sum()\nreturn x.sin()",
    "return x[x[:, 0] > 0, 1].sum() + x.sin()",
    "return x[..., x[0] > 0].sum() + x.sin()",
]


@pytest.mark.parametrize("body", BODIES)
def test_sizes_that_values_decide(body: str) -> None:
    source = HEAD + indented(body)
    with loaded(source) as module:
        graphs = graphs_compiled(lambda: module.form(torch.linspace(-1.0, 2.0, 12).reshape(3, 4)))
    assert bool(reported(source, "TBR307")) is (graphs != 1)
