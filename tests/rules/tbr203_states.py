"""TBR203: generators that a region puts back, or seeds through a helper or a context."""

from __future__ import annotations

import contextlib
import random

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

G = torch.Generator()
R = np.random.RandomState(0)


def reseed():
    random.seed(3)


@contextlib.contextmanager
def kept():
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)


class Noise(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def put_back(self, x):
        state = random.getstate()
        a = random.random()
        random.setstate(state)
        return torch.tanh(self.fc(x) * a)  # ok: [TBR203] the recompute finds the same state

    def context(self, x):
        with kept():
            a = random.random()
        return torch.tanh(self.fc(x) * a)  # ok: [TBR203] as above

    def generator(self, x):
        state = G.get_state()
        a = torch.rand(4, generator=G)
        G.set_state(state)
        return torch.tanh(self.fc(x) * a)  # ok: [TBR203] as above

    def helper(self, x):
        reseed()
        return torch.tanh(self.fc(x) * random.random())  # ok: [TBR203] seeded alike

    def end(self, x):
        return torch.tanh(self.fc(x)) * R.rand()  # ok: [TBR203] a factor saves nothing

    def end_array(self, x):
        return torch.tanh(self.fc(x)) * torch.from_numpy(R.rand(4))  # error: [TBR203]

    def forward(self, x):
        x = checkpoint(self.put_back, x, use_reentrant=False)
        x = checkpoint(self.context, x, use_reentrant=False)
        x = checkpoint(self.generator, x, use_reentrant=False)
        x = checkpoint(self.helper, x, use_reentrant=False)
        x = checkpoint(self.end, x, use_reentrant=False)
        return checkpoint(self.end_array, x, use_reentrant=False)


class Other(Noise):
    def put_back(self, x):
        state = random.getstate()
        a = random.random()
        if x.shape[0] > 1:
            random.setstate(state)
        return torch.tanh(self.fc(x) * a)  # error: [TBR203]

    def another(self, x):
        state = random.getstate()
        a = np.random.rand()
        random.setstate(state)
        return torch.tanh(self.fc(x) * a)  # error: [TBR203]

    def late(self, x):
        y = torch.tanh(self.fc(x) * random.random())  # error: [TBR203]
        reseed()
        return y

    def some(self, x):
        state = G.get_state()
        a = torch.rand(4, generator=G)
        G.set_state(state)
        x = torch.tanh(self.fc(x) * a)  # error: [TBR203]
        return torch.sin(x * torch.rand(4, generator=G))  # error: [TBR203]

    def forward(self, x):
        x = checkpoint(self.put_back, x, use_reentrant=False)
        x = checkpoint(self.another, x, use_reentrant=False)
        x = checkpoint(self.late, x, use_reentrant=False)
        return checkpoint(self.some, x, use_reentrant=False)
