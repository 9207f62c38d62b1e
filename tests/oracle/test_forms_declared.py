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


OPERATIONS = [
    "x.split([3, 5])[0]",
    "torch.split(x, [4, 4])[1]",
    "x.split([1, 3], 1)[0]",
    "x.expand(8, 4) * 2",
    "x.expand(-1, 4) * 2",
    "x.unflatten(0, (2, 4))",
    "x.unflatten(1, (2, 2))",
    "x + Y",
    "Y * x",
    "x + torch.ones(8, 4)",
    "x + torch.ones(1, 4)",
    "x + torch.ones(4)",
    "x @ torch.ones(4, 3)",
    "torch.matmul(torch.ones(3, 8), x)",
    "torch.ones(3, 8) @ x",
    "torch.mm(x, torch.ones(4, 3))",
    "torch.cat([x, Y], 1)",
    "torch.cat([x, Y], dim=-1)",
    "torch.cat([x, Y])",
    "torch.stack([x, Y])",
    "x * T[x.shape[0]]",
    "x * T.get(x.shape[0], 1.0)",
    "x.select(1, 3)",
    "x[:, 3]",
    "x[:, :3]",
    "x[...]",
    "x.chunk(2, 1)[0]",
    "x.topk(2, 1)[0]",
    "torch.chunk(x, 2, dim=1)[0]",
]
RANGED = [
    *(
        "x.chunk(2)[0]",
        "torch.chunk(x, 3)[0]",
        "x.chunk(1)[0]",
        "x.tensor_split(2)[0]",
        "x.split(2)[0]",
        "x.split(70)[0]",
    ),
    *("x[0]", "x[1]", "x[3]", "x[-1]", "x[-3]", "x[:5]", "x[:2]", "x[1:]", "x[:-1]", "x[2:5]", "x[1:-1]", "x[3:, 1]"),
    *("x.narrow(0, 1, 4)", "x.narrow(0, 0, 2)", "x.topk(5, 0)[0]", "x.select(0, 5)", "x.select(0, -1)"),
]
"""Allowed by some sizes."""
DIMS = ['Dim("n")', 'Dim("n", min=2, max=64)', 'Dim("n", min=4, max=64)', 'Dim("n", min=6, max=64)', "Dim.DYNAMIC"]
CASES = [(form, dim) for form in OPERATIONS for dim in DIMS[1:5:3]] + [(form, dim) for form in RANGED for dim in DIMS]


@pytest.mark.parametrize(("form", "dim"), CASES)
def test_operations_that_fix_a_size(form: str, dim: str) -> None:
    tables = "Y = torch.ones(8, 4)\nT = {8: 2.0}\n"
    model = f"class M(nn.Module):\n    def forward(self, x: Tensor):\n        return ({form}).sin()\n"
    run = f'def run():\n    return export(M(), (torch.ones(8, 4),), dynamic_shapes={{"x": {{0: {dim}}}}})\n'
    source = f"{HEAD}{tables}\n\n{model}\n\n{run}"
    with compiling(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR308")) is (outcome.error is not None)


MARKED = [
    "x.split([3, 5])[0]",
    "x.expand(8, 4) * 2",
    "x + Y",
    "torch.cat([x, Y], 1)",
    "x * T[x.shape[0]]",
    "x.chunk(2)[0]",
]


@pytest.mark.parametrize("form", [*MARKED, "x[3]", "x[1:]", "torch.ones(3, 8) @ x", "x @ torch.ones(4, 3)"])
def test_operations_on_what_is_marked(form: str) -> None:
    tables = "Y = torch.ones(8, 4)\nT = {8: 2.0}\n"
    model = f"@torch.compile(backend='eager')\ndef f(x: Tensor):\n    return ({form}).sin()\n"
    run = "def run():\n    y = torch.ones(8, 4)\n    torch._dynamo.mark_dynamic(y, 0)\n    return f(y)\n"
    source = f"{HEAD}{tables}\n\n{model}\n\n{run}"
    with compiling(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR308")) is (outcome.error is not None)


LAYERS = {
    "nn.Linear(8, 3)": "(2, 8)",
    "nn.LayerNorm(8)": "(2, 8)",
    "nn.Conv1d(8, 4, 3)": "(2, 8, 6)",
    "nn.Conv2d(8, 4, 1)": "(2, 8, 4, 4)",
    "nn.BatchNorm1d(8)": "(4, 8)",
    "nn.BatchNorm2d(8)": "(4, 8, 2, 2)",
    "nn.GroupNorm(2, 8)": "(4, 8, 2)",
    "nn.ReLU()": "(2, 8)",
    "nn.MaxPool1d(2)": "(2, 8, 6)",
}


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("layer", LAYERS)
def test_layers_of_a_size(layer: str, dim: int) -> None:
    source = f"""{HEAD}
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = {layer}

    def forward(self, x: Tensor):
        return self.layer(x)


def run():
    return export(M(), (torch.ones({LAYERS[layer]}),), dynamic_shapes={{"x": {{{dim}: Dim("n", max=64)}}}})
"""
    with compiling(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR308")) is (outcome.error is not None)
