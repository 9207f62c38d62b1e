"""TBR209: a checkpointed region fills a cache with what a parameter gives."""

import functools
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(4))
        self.fc = nn.Linear(4, 4)
        self.pos = nn.Embedding(8, 4)
        self.table = None
        self.cos = None
        self.cache = {}
        self.detached = None
    @functools.lru_cache(maxsize=None)
    def lru(self, n):
        return torch.exp(torch.sin(self.p[:n]))
    @functools.cached_property
    def prop(self):
        return self.fc.weight.norm()
    def get(self, n):
        if n not in self.cache:
            self.cache[n] = self.pos(torch.arange(n))  # error: [TBR209]
        return self.cache[n]
    def hit(self, n):
        if n in self.cache:
            return self.cache[n]
        out = self.p.exp()
        self.cache[n] = out  # error: [TBR209]
        return out
    def forward(self, x):
        if self.table is None:
            self.table = torch.exp(self.p)  # error: [TBR209]
        if self.cos is None:
            self.cos = torch.arange(4.0).cos()  # ok: [TBR209] a table of constants
        if self.detached is None:
            self.detached = self.p.detach().exp()  # ok: [TBR209] no graph is kept
        x = self.fc(x) * self.table * self.cos * self.detached
        x = x * self.lru(4)  # error: [TBR209]
        x = x * self.prop  # error: [TBR209]
        x = x * self.get(4) + self.hit(3)
        return x.sin()

def run(a: A, x):
    return checkpoint(a, x, use_reentrant=False)

def closure(l, x):
    st = {}
    p = nn.Parameter(torch.ones(6))
    def f(h):
        if "g" not in st:
            st["g"] = torch.exp(torch.sin(p))  # error: [TBR209]
        return l(h) * st["g"]
    checkpoint(f, x, use_reentrant=False).square().sum().backward()


class Outside(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(4))
        self.fc = nn.Linear(4, 4)
        self.table = None

    def scale(self):
        if self.table is None:
            self.table = torch.exp(self.p)  # ok: [TBR209] filled outside of the region
        return self.table

    def region(self, x, scale):
        with torch.no_grad():
            if not hasattr(self, "peak"):
                self.peak = torch.exp(self.p).amax()  # ok: [TBR209] no graph is recorded
        return self.fc(x) * scale / self.peak

    def forward(self, x):
        return checkpoint(self.region, x, self.scale(), use_reentrant=False)


class Windowed(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = 64
        self.fc = nn.Linear(4, 4)

    def region(self, x):
        y = self.fc(x)
        size = y.shape[0]
        if size <= self.window:
            self.window = min(size, self.window)  # ok: [TBR209] a size holds no graph
        return y * self.window

    def forward(self, x):
        return checkpoint(self.region, x, use_reentrant=False)


class Streaming(nn.Module):
    """What the cache keeps was computed before it is asked: the recompute does that work again."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 3)
        self.fc = nn.Linear(4, 4)
        self.previous = None
        self.first = None

    def forward(self, x):
        x = self.conv(x)
        if self.previous is None:
            self.previous = x[:, :, -2:].clone()  # ok: [TBR209] the convolution is not skipped
        else:
            x = torch.cat([self.previous, x], 2)
        if self.first is None:
            first = self.fc(x)
            self.first = first.mean()  # error: [TBR209]
        return x * self.first


def stream(model: Streaming, x):
    return checkpoint(model, x, use_reentrant=False)


class Cheap(nn.Module):
    """What saves no tensor for backward is missed by no recompute, only by the graph of a reentrant one."""

    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(4))
        self.fc = nn.Linear(4, 4)
        self.doubled = None
        self.viewed = None
        self.kept = None

    def forward(self, x):
        if self.doubled is None:
            self.doubled = self.p * 2  # ok: [TBR209] a product with a number
        if self.viewed is None:
            self.viewed = torch.cat([self.p[:2], self.p.view(2, 2)[0]])  # ok: [TBR209] moved around
        self.kept = self.kept if self.kept is not None else self.p.exp().sin()  # error: [TBR209]
        return (self.fc(x) * self.doubled * self.viewed).sin() * self.kept


class Reentrant(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(4))
        self.fc = nn.Linear(4, 4)
        self.doubled = None

    def forward(self, x):
        if self.doubled is None:
            self.doubled = self.p * 2  # error: [TBR209] "its parameter gets no gradient"
        return (self.fc(x) * self.doubled).sin()


def cheap(module: Cheap, other: Reentrant, x):
    x = checkpoint(module, x, use_reentrant=False)
    return checkpoint(other, x, use_reentrant=True)
