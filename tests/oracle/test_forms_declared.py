"""TBR308: ways to declare a dimension dynamic and to fix it: reported if, and only if, the export goes wrong."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import contextlib
import functools
import math
import operator
from functools import partial

import torch
import torch.export as te
from torch import Tensor, nn
from torch import export as ex
from torch.export import Dim, export

X = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)


def pick(t):
    return t.sum() > 0


"""
PROGRAMS = [
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run(): return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run(): return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    n = Dim("n", min=2, max=10)
    return export(M(), (X,), dynamic_shapes=({0: n},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] > 1: return x.sin()
        return x
def run():
    n = Dim("n", min=2, max=10)
    return export(M(), (X,), dynamic_shapes=({0: n},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.size(0) > 4: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        n = len(x)
        if n > 4: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        b, d = x.shape
        if b % 2 == 0: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        for i in range(x.shape[0]):
            x = x + i
        return x
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        for i in range(x.shape[1]):
            x = x + i
        return x
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        for row in x:
            x = x + row
        return x
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return torch.stack([r.sin() for r in x.unbind(0)])
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return torch.stack([r.sin() for r in torch.unbind(x)])
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.view(3, 4).sin()
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.view(-1, 4).sin()
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos = nn.Parameter(torch.zeros(3, 4))
    def forward(self, x: Tensor):
        return x + self.pos
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos = nn.Parameter(torch.zeros(3, 4))
    def forward(self, x: Tensor):
        return x + self.pos[: x.shape[0]]
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim("n", max=3)},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin()
def run():
    return export(M(), (torch.ones(1, 4),), dynamic_shapes=({0: Dim("n")},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin()
def run():
    return export(M(), (torch.ones(1, 4),), dynamic_shapes=({0: Dim.DYNAMIC},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin()
def run():
    return export(M(), (torch.ones(1, 4),), dynamic_shapes=({0: Dim.AUTO},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin()
def run():
    one = torch.ones(1, 4)
    return export(M(), (one,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim.DYNAMIC},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] > 2: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim.DYNAMIC},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes=({0: Dim.AUTO},))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes={"x": {1: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    return te.export(M(), (X,), dynamic_shapes={"x": {0: te.Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
go = partial(export, dynamic_shapes={"x": {0: Dim("n")}})
def run():
    return go(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
DYN = {"x": {0: Dim("n")}}
def run():
    return export(M(), (X,), dynamic_shapes=DYN)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def save(m, shapes):
    return export(m, (X,), dynamic_shapes=shapes)
def run():
    return save(M(), {"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def save(m):
    return export(m, (X,), dynamic_shapes={"x": {0: Dim("n")}})
def run():
    return save(M())
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    opts = dict(dynamic_shapes={"x": {0: Dim("n")}})
    return export(M(), (X,), **opts)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes={"x": [Dim("n"), None]})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes={"x": (Dim("n"), Dim.STATIC)})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] == 3: return x.sin()
        return x
def run():
    return export(M(), (), {"x": X}, dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
def helper(t):
    return t.sin() if t.shape[0] == 3 else t
class M(nn.Module):
    def forward(self, x: Tensor):
        return helper(x)
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        assert x.shape[0] == 3
        return x.sin()
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if x.shape[0] != 3: raise ValueError
        return x.sin()
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        k = int(x.shape[0])
        if k == 3: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * x.shape[0] + torch.arange(x.shape[0])[:, None]
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.shape[0] in (3, 5) else x
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if 2 < x.shape[0] < 5 else x
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        match x.shape[0]:
            case 3: return x.sin()
        return x
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        a, b, c = x
        return a + b + c
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x @ torch.ones(4, 2)
def run():
    return export(M(), (X,), dynamic_shapes={"x": {0: Dim("n")}})
""",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_contradicts_a_declaration(program: str) -> None:
    source = HEAD + program
    with compiling(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR308")) is (outcome.error is not None)
