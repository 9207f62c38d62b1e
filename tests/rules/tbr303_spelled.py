"""TBR303: changes by other names and spellings, and of what a global of the file holds."""

from __future__ import annotations

import torch
from torch import nn


class Key:
    def __init__(self):
        self.i = 0
        self.rate = 0.0
        self.name = "a"


K = Key()
COUNTS = {"n": 0}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = {"n": 0}
        self.seen = []
        self.n = 0
        self.m = 0
        self.name = "a"

    def forward(self, x):
        d = self.d
        d["n"] += 1  # error: [TBR303]
        seen = self.seen  # error: [TBR303]
        seen.append(1)
        setattr(self, "n", self.n + 1)  # error: [TBR303]
        self.m, other = self.m + 1, 2  # error: [TBR303]
        self.name = f"{self.name}a"  # error: [TBR303]
        return x + d["n"] + len(seen) + self.n + self.m + other + len(self.name)


class Still(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = {"n": 0}
        self.seen = [1]
        self.n = 0

    def forward(self, x):
        d = self.d
        d["n"] = 1  # ok: [TBR303] the same in every call
        seen = self.seen.copy()
        seen.append(1)  # ok: [TBR303] of its own
        setattr(self, "n", 2)  # ok: [TBR303] the same in every call
        self.d.update(n=3)  # ok: [TBR303] the same in every call
        return x + d["n"] + len(seen) + self.n


net = torch.compile(Net())
still = torch.compile(Still())


@torch.compile
def counted(x):
    K.i += 1  # error: [TBR303]
    COUNTS.update(n=COUNTS["n"] + 1)  # error: [TBR303]
    return x + K.i + COUNTS["n"]


@torch.compile
def named(x):
    key = f"{K.i}"  # error: [TBR303]
    K.rate += 1.0  # ok: [TBR303] floats are dynamic
    return x + len(key) + K.rate
