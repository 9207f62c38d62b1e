"""TBR206: objects that each round changes, loops that run once, and names that enter nothing of the recompute."""

from __future__ import annotations

import functools

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Ctx:
    layer: nn.Module
    i = 0


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.fc = nn.Linear(4, 4)

    def attribute(self, x):
        ctx = Ctx()
        for layer in self.layers:
            ctx.layer = layer
            x = checkpoint(lambda h: torch.sin(ctx.layer(h)), x, use_reentrant=False)  # error: [TBR206]
        return x

    def bound(self, x):
        ctx = Ctx()
        for layer in self.layers:
            ctx.layer = layer
            x = checkpoint(lambda h, ctx=ctx: torch.sin(ctx.layer(h)), x, use_reentrant=False)  # error: [TBR206]
        return x

    def anew(self, x):
        for layer in self.layers:
            ctx = Ctx()
            ctx.layer = layer
            # ok: [TBR206] an object for each round
            x = checkpoint(lambda h, ctx=ctx: torch.sin(ctx.layer(h)), x, use_reentrant=False)
        return x

    def item(self, x):
        state = {}
        for layer in self.layers:
            state["layer"] = layer
            x = checkpoint(lambda h: torch.sin(state["layer"](h)), x, use_reentrant=False)  # error: [TBR206]
        return x

    def last(self, x):
        done = []
        for layer in self.layers:
            done.append(layer)
            x = checkpoint(lambda h: torch.sin(done[-1](h)), x, use_reentrant=False)  # error: [TBR206]
        return x

    def first(self, x):
        done = [self.fc]
        for layer in self.layers:
            done.append(layer)
            x = checkpoint(lambda h: torch.sin(done[0](h)), x, use_reentrant=False)  # ok: [TBR206] the first stays
        return x

    def keyed(self, x):
        state = {}
        for i, layer in enumerate(self.layers):
            state[i] = layer
            x = checkpoint(lambda h, i=i: torch.sin(state[i](h)), x, use_reentrant=False)  # ok: [TBR206] its own
        return x

    def counted(self, x):
        ctx = Ctx()
        for _ in range(2):
            x = checkpoint(lambda h: torch.sin(self.layers[ctx.i](h)), x, use_reentrant=False)  # error: [TBR206]
            ctx.i += 1
        return x

    def partial(self, x):
        for layer in self.layers:
            region = functools.partial(lambda scale, h: torch.sin(layer(h)) * scale, 2.0)
            x = checkpoint(region, x, use_reentrant=False)  # error: [TBR206]
        for layer in self.layers:
            x = checkpoint(functools.partial(lambda a, h: torch.sin(layer(h)) * a, 2.0), x, use_reentrant=False)  # error: [TBR206]
        return x

    def made(self, x):
        def make():
            return lambda h: torch.sin(layer(h))

        for layer in self.layers:
            x = checkpoint(make(), x, use_reentrant=False)  # error: [TBR206]
        return x

    def once(self, x):
        for i in range(1):
            x = checkpoint(lambda h: torch.sin(self.layers[i](h)), x, use_reentrant=False)  # ok: [TBR206] one round
        for layer in [self.fc]:
            x = checkpoint(lambda h: torch.sin(layer(h)), x, use_reentrant=False)  # ok: [TBR206] one round
        for part in self.layers[:1]:
            x = checkpoint(lambda h: torch.sin(part(h)), x, use_reentrant=False)  # ok: [TBR206] one round
        return x

    def factor(self, x):
        for i in range(2):
            x = checkpoint(lambda h: torch.sin(self.fc(h)) * i, x, use_reentrant=False)  # ok: [TBR206] nothing is saved
        for j in range(2):
            x = checkpoint(lambda h: torch.sin(self.fc(h) * j), x, use_reentrant=False)  # error: [TBR206]
        return x

    def alike(self, x):
        for _ in range(2):
            scale = 2.0
            shift = torch.ones(4)
            noise = torch.rand(4)
            x = checkpoint(lambda h: torch.sin(h * scale + shift), x, use_reentrant=False)  # ok: [TBR206] the same
            x = checkpoint(lambda h: torch.sin(h * noise), x, use_reentrant=False)  # error: [TBR206]
        return x
