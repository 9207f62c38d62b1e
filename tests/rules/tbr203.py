"""TBR203: randomness, or a clock, that the recompute of a checkpointed region draws anew."""

import os
import random
import secrets
import time
import uuid
from random import random as coin

import numpy as np
import torch
import torch as th
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

_RNG = np.random.default_rng(0)


# --- a draw decides a branch ----------------------------------------------------------------------
class DropLayer(nn.Module):
    def __init__(self, rate: float = 0.5, seed: int = 0) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.rate = rate
        self.rng = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)

    def skipped(self) -> bool:
        return self.rng.random() < self.rate

    def forward(self, x: Tensor) -> Tensor:
        if random.random() < self.rate:  # error: [TBR203]
            return x
        h = self.fc(x)
        if self.skipped():  # error: [TBR203]
            h = h.tanh()
        dice = torch.rand((), generator=self.generator)
        if dice < self.rate:  # error: [TBR203]
            h = h.sin()
        return h.cos() if coin() < 0.5 else h  # error: [TBR203]


class Trunk(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DropLayer() for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return x


def numpy_branch(x: Tensor) -> Tensor:
    turns = np.random.randint(1, 3)
    for _ in range(turns):  # error: [TBR203]
        x = x.sin()
    if _RNG.uniform() < 0.5:  # error: [TBR203]
        x = x.cos()
    return x


def odd_sources(x: th.Tensor) -> th.Tensor:
    if secrets.randbelow(2):  # error: [TBR203]
        x = x.sin()
    if os.urandom(1)[0] > 127:  # error: [TBR203]
        x = x.cos()
    if uuid.uuid4().int % 2:  # error: [TBR203]
        x = x.tanh()
    if time.time_ns() % 2 == 0:  # error: [TBR203]
        x = x.sigmoid()
    return x


def run(x: Tensor) -> Tensor:
    x = checkpoint(numpy_branch, x, use_reentrant=False)
    return checkpoint(odd_sources, x, use_reentrant=False)


# --- a draw enters a result -----------------------------------------------------------------------
def factors(x: Tensor, generator: torch.Generator) -> Tensor:
    x = x * random.uniform(0.9, 1.1)  # error: [TBR203]
    x = x + torch.randn(4, generator=generator)  # error: [TBR203]
    return x.sin() * torch.as_tensor(np.random.normal(size=4))  # error: [TBR203]


def run_factors(x: Tensor) -> Tensor:
    return checkpoint(factors, x, torch.Generator(), use_reentrant=False)


# --- tempting, and rightly silent -----------------------------------------------------------------
class Dice:
    def random(self) -> float:
        return 0.25


class Calm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.dice = Dice()
        self.offset = random.random()

    def forward(self, x: Tensor, keep: bool) -> Tensor:
        h = nn.functional.dropout(self.fc(x), 0.1, self.training)  # ok: [TBR203] the default generator is replayed
        h = h + torch.randn_like(h) * 0.01  # ok: [TBR203] the default generator is replayed
        if torch.rand(()) < 0.5:  # ok: [TBR203] the default generator is replayed
            h = h.sin()
        if keep:  # ok: [TBR203] drawn outside, handed in
            h = h.cos()
        if self.dice.random() < 0.5:  # ok: [TBR203] a method of the same name draws nothing
            h = h.tanh()
        if self.offset < 0.5:  # ok: [TBR203] drawn once, in `__init__`
            h = h * 2
        started = time.perf_counter()
        h = h.sigmoid()
        print("took", time.perf_counter() - started)  # ok: [TBR203] a clock that is only printed
        return h


def drawn_by(rate: float) -> bool:
    return random.random() < rate


def run_calm(block: Calm, x: Tensor) -> Tensor:
    keep = drawn_by(0.5)  # ok: [TBR203] a draw across a call, outside of the region
    return checkpoint(block, x, keep, use_reentrant=False)


class NotCheckpointed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        if random.random() < 0.5:  # ok: [TBR203] this module is not checkpointed; its layer is
            return x
        return checkpoint(self.fc, x, use_reentrant=False)


# --- a generator that nobody hands on -------------------------------------------------------------
class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor, generator: torch.Generator | None = None) -> Tensor:
        noise = torch.randn(4, generator=generator)[None]
        return self.fc(x) + noise  # ok: [TBR203] None, in every call


class NoisyGiven(Noisy):
    def forward(self, x: Tensor, generator: torch.Generator | None = None) -> Tensor:
        return self.fc(x) * torch.randn(4, generator=generator)[None]  # error: [TBR203]


class Stage(nn.Module):
    def __init__(self):
        super().__init__()
        self.noisy, self.given = Noisy(), NoisyGiven()

    def forward(self, x: Tensor, generator: torch.Generator | None = None, other: torch.Generator | None = None):
        x = checkpoint(self.noisy, x, generator, use_reentrant=False)
        return checkpoint(self.given, x, other, use_reentrant=False)


class Stages(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage = Stage()

    def forward(self, x: Tensor, rng: torch.Generator) -> Tensor:
        return self.stage(self.stage(x), other=rng)


# --- a region that seeds what it draws from -------------------------------------------------------
class Planned(nn.Module):
    def __init__(self, seed: int):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.seed = seed

    def plan(self, n: int) -> list[int]:
        kept = []
        for i in np.random.permutation(n):
            if i not in (0, n):  # ok: [TBR203] seeded before
                kept.append(int(i))
        return kept

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            np.random.seed(self.seed)
        if np.random.rand() < 0.5:  # ok: [TBR203] seeded before
            x = self.fc(x)
        return x[:, self.plan(4)]


class Unplanned(Planned):
    def forward(self, x: Tensor) -> Tensor:
        if x.shape[0] > 4:
            np.random.seed(self.seed)
        if np.random.rand() < 0.5:  # error: [TBR203]
            x = self.fc(x)
        return x


class OtherPlan(Planned):
    def forward(self, x: Tensor) -> Tensor:
        np.random.seed(self.seed)
        if random.random() < 0.5:  # error: [TBR203]
            x = self.fc(x)
        return x


def planned(a: Planned, b: Unplanned, c: OtherPlan, x: Tensor) -> Tensor:
    x = checkpoint(a, x, use_reentrant=False)
    x = checkpoint(b, x, use_reentrant=False)
    return checkpoint(c, x, use_reentrant=False)
