"""TBR310: ways to export and to decide in what is exported: reported if, and only if, the export goes wrong."""

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
from torch.export import export

X = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)


def pick(t):
    return t.sum() > 0


"""
PROGRAMS = [
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run(): return te.export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run(): return ex.export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
go = partial(export, strict=False)
def run(): return go(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def save(m):
    return export(m, (X,))
def run(): return save(M())
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
class T:
    def __init__(self): self.m = M()
    def save(self): return torch.export.export(self.m, (X,))
def run(): return T().save()
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run(): return export(mod=M(), args=(X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run():
    m = M().eval()
    with torch.no_grad():
        return export(m, (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
do = export
def run(): return do(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run():
    do = export
    return do(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run():
    do = lambda m: export(m, (X,))
    return do(M())
""",
    """\
def helper(t):
    if t.sum() > 0:
        return t.sin()
    return t
class M(nn.Module):
    def forward(self, x: Tensor):
        return helper(x)
def run(): return export(M(), (X,))
""",
    """\
def deco(f):
    @functools.wraps(f)
    def g(*a): return f(*a)
    return g
class M(nn.Module):
    @deco
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run(): return export(M(), (X,))
""",
    """\
class I(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.i = I()
    def forward(self, x: Tensor):
        return self.i(x)
def run(): return export(M(), (X,))
""",
    """\
class I(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([I(), I()])
    def forward(self, x: Tensor):
        for l in self.layers: x = l(x)
        return x
def run(): return export(M(), (X,))
""",
    """\
class I(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run(): return export(nn.Sequential(nn.Linear(4, 4), I()), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if not torch.compiler.is_compiling() and x.sum() > 0:
            return x.sin()
        return x.cos()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if not torch.compiler.is_exporting():
            if x.sum() > 0:
                return x.sin()
        return x.cos()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return torch.where(x.sum() > 0, x.sin(), x.cos())
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.shape[0] > 2 else x.cos()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        n = x.argmax().item()
        return x.sin() if n > 3 else x.cos()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        n = int(x.argmax())
        for i in range(n % 3):
            x = x + 1
        return x
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        while x.norm() > 1:
            x = x / 2
        return x
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        ok = 0 < x.sum() < 100
        return x * ok
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        ok = not (x.sum() > 0)
        return x * ok
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        ok = 1.0 in x
        return x * ok
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return [x.sin(), x.cos()][int(x.sum() > 0)]
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return sum(filter(pick, [x, x.sin()]))
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return max([x, x.sin()], key=lambda t: t.sum())
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * max(x.sum(), x.max())
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return sorted([x.sum(), x.max()])[0]
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        assert x.sum() > -100
        return x.sin()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        assert x.sum() > -100
        return x.sin()
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        assert not x.isnan().any()
        return x.sin()
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if (x > 0).any() else x
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        y = x[x > 0]
        return y.sin()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        y = x[x > 0]
        if y.numel() == 0:
            return x
        return y.sin()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        y = x[x > 0]
        if len(y) > 2:
            return x
        return y.sin()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if torch.allclose(x, x): return x.sin()
        return x
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if torch.equal(x, x): return x.sin()
        return x
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * bool(x.sum() > 0)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        v = x.tolist()
        return x * v[0][0]
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * sum(map(float, x[0]))
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        read = x.sum().item
        return x * read()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        conv = float
        return x * conv(x.sum())
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * x.sum().__float__()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * operator.truth(x.sum() > 0)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        with contextlib.suppress(ValueError):
            if x.sum() > 0: return x.sin()
        return x
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        print(f"{x.sum():.2f}")
        return x
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        match int(x.argmax()):
            case 1: return x.sin()
        return x
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        flag = bool(x.sum() > 0)
        if flag is True: return x.sin()
        return x
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x[int(x.argmax()) % 3]
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return torch.tensor(float(x.sum()))
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x if x is not None else x.sin()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return torch.cond(x.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (x,))
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run(): return torch.export.draft_export(M(), (X,))
""",
    """\
class M(nn.Module):
    @torch.compiler.disable
    def forward(self, x: Tensor):
        return x.sin() if x.sum() > 0 else x.cos()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * complex(x.sum()).real
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * operator.not_(x.sum() > 0)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * operator.contains(x, 1.0)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * x.__contains__(1.0)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * (x.sum() > 0).__bool__()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * any(x[0] > 0)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * all([x[0, 0] > 0, x[0, 1] > 0])
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * any(t > 0 for t in x[0])
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        s = f"{x.sum():.2f}"
        return x * len(s)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        s = "%.2f" % x.sum()
        return x * len(s)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        s = "{:.2f}".format(x.sum())
        return x * len(s)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        s = f"{x.sum()}"
        return x.sin()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * round(x.sum().item(), 1)
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * sum(map(int, x.shape))
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * sum(map(torch.Tensor.item, [x.sum(), x.max()]))
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * sum(map(lambda t: float(t), [x.sum(), x.max()]))
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * torch.full((4,), x.sum())
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * torch.tensor([x.sum(), 1.0]).sum()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return torch.arange(x.abs().max()).sum() * x
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * x.sum().numpy()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x[x[0].argmax() % 3]
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return [x, x.sin()][x[0].argmax() % 2]
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        k = x[0].argmax() % 3
        return x[:k].sum()
def run(): return export(M(), (X,))
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * str(x.sum()).count("1")
def run(): return export(M(), (X,))
""",
    """\
@torch.compiler.disable
def helper(x):
    return x.sin() if x.sum() > 0 else x
class M(nn.Module):
    def forward(self, x: Tensor):
        return helper(x)
def run(): return export(M(), (X,))
""",
    """\
@torch.compiler.disable
def helper(x):
    return x.sin() if x.sum() > 0 else x
class M(nn.Module):
    def forward(self, x: Tensor):
        return helper(x)
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x.sin() if float(x.sum()) > 0 else x
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * float(x.sum())
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * (not x.sum())
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * (0 < x.sum() < 3)
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        return x * (1.0 in x)
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def forward(self, x: Tensor):
        if bool(x.sum() > 0) is True: return x.sin()
        return x
def run(): return export(M(), (X,), strict=True)
""",
    """\
class M(nn.Module):
    def __init__(self, check=True):
        super().__init__()
        self.check = check
    def forward(self, x: Tensor):
        if self.check and x.sum() > 0:
            return x.sin()
        return x.cos()
def run():
    return export(M(), (X,))
""",
]


ASKED = ("if not torch.compiler.is_compiling() and ", "if not torch.compiler.is_exporting():")
"""Tests by which a program takes another branch in eager mode on purpose."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_an_export_refuses(program: str) -> None:
    source = HEAD + program
    with compiling(source) as module:
        outcome = observe(module.run)
        wrong = outcome.error is not None
        if not wrong and not any(test in program for test in ASKED):  # the program that is kept may hold another case
            kept, net, x = outcome.value.module(), module.M(), module.X
            wrong = not torch.equal(kept(x), net(x))
            if "draft_export" in program:  # not reported: it is there to list what an export would refuse, and does
                assert not outcome.value._report.successful()
                assert observe(net, -x).error is None
                assert observe(kept, -x).error is not None
            elif not wrong:
                wrong = not torch.equal(kept(-x), net(-x))
    assert bool(reported(source, "TBR310")) is wrong
