"""TBR211: normalizations in checkpointed regions: reported if, and only if, their running statistics differ."""

from __future__ import annotations

import ast

import pytest

from tests.oracle.agree import HEAD, advances, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

NETS = (
    HEAD
    + """
class Bn(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)
    def run(self, h): return self.bn(self.l(h))
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class Ev(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)
    def run(self, h):
        self.bn.eval()
        return self.bn(self.l(h))
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class EvAround(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)
    def run(self, h):
        self.bn.eval()
        h = self.bn(self.l(h))
        self.bn.train()
        return h
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)
    def forward(self, h): return self.bn(self.l(h))
class EvCalled(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
    def run(self, h):
        self.block.eval()
        h = self.block(h)
        self.block.train()
        return h
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class EvTwo(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.bn = nn.BatchNorm1d(4)
    def run(self, h):
        self.block.eval()
        h = self.block(h)
        self.block.train()
        return self.bn(h)
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class EvOther(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.other = Block()
    def run(self, h):
        self.other.eval()
        h = self.block(h)
        return h
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class Mom(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4, track_running_stats=False)
    def run(self, h): return self.bn(self.l(h))
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class Fun(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.register_buffer("m", torch.zeros(4))
        self.register_buffer("v", torch.ones(4))
    def run(self, h): return F.batch_norm(self.l(h), self.m, self.v, training=True)
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class FunOff(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.register_buffer("m", torch.zeros(4))
        self.register_buffer("v", torch.ones(4))
    def run(self, h): return F.batch_norm(self.l(h), self.m, self.v)
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class Zero(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4, momentum=0.0)
    def run(self, h): return self.bn(self.l(h))
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class Outside(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)
    def forward(self, x): return self.bn(checkpoint(self.l, x, use_reentrant=False))
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    def forward(self, x): return checkpoint(self.net, x, use_reentrant=False)
class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
        self.ck = functools.partial(checkpoint, self.net, use_reentrant=False)
    def forward(self, x): return self.ck(x)
class EvWith(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
    @contextlib.contextmanager
    def evaluating(self):
        self.block.eval()
        try:
            yield
        finally:
            self.block.train()
    def run(self, h):
        with self.evaluating():
            return self.block(h)
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class TrainArg(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
    def run(self, h):
        self.block.train(False)
        h = self.block(h)
        self.block.train(True)
        return h
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class Late(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
    def run(self, h):
        h = self.block(h)
        self.block.eval()
        return h
    def forward(self, x):
        self.block.train()
        return checkpoint(self.run, x, use_reentrant=False)
class FunSelf(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.register_buffer("m", torch.zeros(4))
        self.register_buffer("v", torch.ones(4))
    def run(self, h): return F.batch_norm(self.l(h), self.m, self.v, training=self.training)
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class FunNone(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def run(self, h): return F.batch_norm(self.l(h), None, None, training=True)
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class NestedBoth(nn.Module):
    def __init__(self):
        super().__init__()
        self.outer = nn.Sequential(Block())
        self.block = Block()
    def run(self, h):
        self.outer.eval()
        return self.block(self.outer(h))
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class NestedEval(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
    def run(self, h):
        self.eval()
        return self.block(h)
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class SeqIn(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    def run(self, h):
        self.net.eval()
        return self.net(h)
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class Lambda(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    def forward(self, x): return checkpoint(lambda h: self.net(h), x, use_reentrant=False)
class LambdaEval(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    def forward(self, x): return checkpoint(lambda h: self.net.eval()(h), x, use_reentrant=False)
class LoopEval(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
    def run(self, h):
        for b in self.blocks:
            b.eval()
            h = b(h)
        return h
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
class Seg(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 4))
        self.ck = functools.partial(checkpoint, use_reentrant=False)
    def forward(self, x): return self.ck(self.net, x)
class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)
    def run(self, h): return self.norm(self.l(h))
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
"""
)
BUILT = [n.name for n in ast.parse(NETS).body if isinstance(n, ast.ClassDef) and n.name != "Block"]


@pytest.mark.parametrize("name", BUILT)
def test_statistics_that_advance_twice_are_reported(name: str) -> None:
    source = f"{NETS}\nNET = {name}()\n\n\ndef form(x):\n    return NET(x)\n"
    assert (name in reported(source, "TBR211")) is advances(source, "form")
