"""TBR206: a checkpointed closure reads a variable that is bound anew before its recompute."""

import functools
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

def loop(layers, x):
    for l in layers:
        x = checkpoint(lambda h: l(h), x, use_reentrant=False)  # error: [TBR206]
    return x

def loop_def(layers, x):
    for i, l in enumerate(layers):
        def block(h):
            return l(h) + h
        x = checkpoint(block, x, use_reentrant=False)  # error: [TBR206]
    x.sum().backward()

def loop_idx(layers, x):
    for i in range(3):
        x = checkpoint(lambda h: layers[i](h), x, use_reentrant=False)  # error: [TBR206]
    return x

def default(layers, x):
    for l in layers:
        x = checkpoint(lambda h, l=l: l(h), x, use_reentrant=False)  # ok: [TBR206] bound by a default
    return x

def factory(layers, x):
    def make(m):
        return lambda h: m(h)
    for l in layers:
        x = checkpoint(make(l), x, use_reentrant=False)  # ok: [TBR206] a closure of its own for each layer, made across a call
    return x

def inloop(layers, x):
    for l in layers:
        y = checkpoint(lambda h: l(h), x, use_reentrant=False)  # ok: [TBR206] backward runs in the same round
        y.sum().backward()

def rebind(l, x):
    scale = torch.full((6,), 2.0)
    y = checkpoint(lambda h: l(h) * scale, x, use_reentrant=False)  # error: [TBR206]
    scale = torch.full((6,), 5.0)
    (y * scale).sum().backward()

def rebind_after(l, x):
    scale = torch.full((6,), 2.0)
    y = checkpoint(lambda h: l(h) * scale, x, use_reentrant=False)  # ok: [TBR206] bound anew after backward
    y.sum().backward()
    scale = torch.full((6,), 5.0)
    return scale

def closed(l, x):
    x = checkpoint(lambda: l(x), use_reentrant=False)  # error: [TBR206]
    return x

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.ck = functools.partial(checkpoint, use_reentrant=False)
    def _run(self, f, *args):
        return checkpoint(f, *args, use_reentrant=False)
    def forward(self, x):
        for layer in self.layers:
            x = self._run(lambda h: layer(h), x)  # error: [TBR206]
        for layer in self.layers:
            x = self.ck(lambda h: layer(h).tanh(), x)  # error: [TBR206]
        return x
    def nograd(self, x):
        with torch.no_grad():
            for layer in self.layers:
                x = checkpoint(lambda h: layer(h), x, use_reentrant=False)  # ok: [TBR206] nothing is recomputed
        return x
    def comp(self, x):
        return [checkpoint(lambda h: l(h), x, use_reentrant=False) for l in self.layers]  # error: [TBR206]
    def same(self, x):
        for _ in range(3):
            x = checkpoint(lambda h: self.layers[0](h), x, use_reentrant=False)  # ok: [TBR206] `self` stays what it is
        return x


class Turning(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))
        self.index = 0
        self.seen = 0

    def by_attribute(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers[self.index](x)

    def by_argument(self, x: torch.Tensor, layer: nn.Module) -> torch.Tensor:
        y: torch.Tensor = layer(x)
        return y

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i, layer in enumerate(self.layers):
            self.index = i
            x = checkpoint(self.by_attribute, x, use_reentrant=False)  # error: [TBR206] "each round sets `self.index`"
            x = checkpoint(self.by_argument, x, layer, use_reentrant=False)  # ok: [TBR206] handed over
        return x

    def fit(self, xs: list[torch.Tensor]) -> None:
        for i, x in enumerate(xs):
            self.index = i
            checkpoint(self.by_attribute, x, use_reentrant=False).sum().backward()  # ok: [TBR206] in the same round
