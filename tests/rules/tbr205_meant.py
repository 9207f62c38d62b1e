"""TBR205: changes under other names: aliases of methods, partials, functions in place, names in strings, slices."""

from __future__ import annotations

import functools
import itertools

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Taken(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.items = [1.0, 2.0, 3.0]
        self.table = {"n": 1.0}
        self.n = 1.0
        self.own = 1.0
        self.stream = iter([1.0, 2.0])
        self.register_buffer("total", torch.zeros(4))

    def alias(self, x):
        take = self.items.pop
        return torch.tanh(self.fc(x) * take())  # error: [TBR205]

    def partial(self, x):
        take = functools.partial(next, self.stream)
        return torch.tanh(self.fc(x) * take())  # error: [TBR205]

    def method(self, x):
        return torch.tanh(self.fc(x) * self.stream.__next__())  # error: [TBR205]

    def sliced(self, x):
        (scale,) = itertools.islice(self.stream, 1)  # error: [TBR205]
        return torch.tanh(self.fc(x) * scale)

    def turned(self, x):
        self.items.reverse()  # error: [TBR205]
        return torch.tanh(self.fc(x) * self.items[0])

    def ordered(self, x):
        self.items.sort()  # ok: [TBR205] a second time, too
        return torch.tanh(self.fc(x) * self.items[0])

    def named(self, x):
        setattr(self, "n", self.n + 1)  # error: [TBR205]
        vars(self)["own"] += 1  # error: [TBR205]
        return torch.tanh(self.fc(x) * self.n * self.own)

    def updated(self, x):
        self.table.update(n=self.table["n"] + 1)  # error: [TBR205]
        return torch.tanh(self.fc(x) * self.table["n"])

    def set_alike(self, x):
        self.table.update(n=2.0)  # ok: [TBR205] the same each time
        return torch.tanh(self.fc(x) * self.table["n"])

    def in_place(self, x):
        torch.add(self.total, 1, out=self.total)  # error: [TBR205]
        torch.Tensor.add_(self.total, 1)  # error: [TBR205]
        torch._foreach_add_([self.total], 1)
        return torch.tanh(self.fc(x) * self.total)

    def given_back(self, x):
        self.n += 1  # ok: [TBR205] taken back before the last saved tensor
        y = self.fc(x) * self.n
        self.n -= 1  # ok: [TBR205] as above
        return torch.tanh(y)

    def copied(self, x):
        take = self.items.copy().pop
        return torch.tanh(self.fc(x) * take())  # ok: [TBR205] of its own

    def forward(self, x):
        x = checkpoint(self.alias, x, use_reentrant=False)
        x = checkpoint(self.partial, x, use_reentrant=False)
        x = checkpoint(self.method, x, use_reentrant=False)
        x = checkpoint(self.sliced, x, use_reentrant=False)
        x = checkpoint(self.turned, x, use_reentrant=False)
        x = checkpoint(self.ordered, x, use_reentrant=False)
        x = checkpoint(self.named, x, use_reentrant=False)
        x = checkpoint(self.updated, x, use_reentrant=False)
        x = checkpoint(self.set_alike, x, use_reentrant=False)
        x = checkpoint(self.in_place, x, use_reentrant=False)
        x = checkpoint(self.given_back, x, use_reentrant=False)
        return checkpoint(self.copied, x, use_reentrant=False)
