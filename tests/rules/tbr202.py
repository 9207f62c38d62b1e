"""TBR202: a checkpointed region decides on state that it changes itself."""

from collections import defaultdict

import torch
from torch import Tensor, nn
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint

_CALLS = 0
_SEEN = {"steps": 0}


# --- attributes, buffers, counters ----------------------------------------------------------------
class EveryOther(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1  # error: [TBR205]
        h = self.fc(x)
        if self.calls % 2 == 1:  # error: [TBR202]
            h = h * torch.tanh(h)
        return h


class ChangedAfterwards(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))
        self.register_buffer("level", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        if self.seen < 3:  # error: [TBR202]
            x = x * 0.1
        h = self.fc(x)
        with torch.no_grad():
            self.seen.add_(1)  # error: [TBR205]
            self.level.lerp_(h.abs().mean(), 0.1)  # error: [TBR205]
        if self.level.item() > 0.5:  # error: [TBR202]
            h = h / self.level
        return h


class ByHelper(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.step = 0
        self.history: list[float] = []

    def advance(self) -> None:
        self.step = self.step + 1  # error: [TBR205]

    @property
    def warm(self) -> bool:
        return self.step > 10

    def forward(self, x: Tensor) -> Tensor:
        self.advance()
        h = self.fc(x)
        h = h.sin() if self.warm else h  # error: [TBR202]
        self.history.append(0.0)  # error: [TBR205]
        if len(self.history) > 1:  # error: [TBR202]
            h = h.cos()
        return h


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.done = False

    def forward(self, x: Tensor) -> Tensor:
        if not self.done:  # error: [TBR202]
            x = x * 2
        self.done = True
        return x.sin()


class Trunk(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = EveryOther()
        self.second = ChangedAfterwards()
        self.blocks = nn.ModuleList([ByHelper(), nn.Sequential(Inner(), nn.Linear(4, 4))])

    def forward(self, x):
        x = checkpoint(self.first, x, use_reentrant=False)
        x = cp.checkpoint(self.second, x, use_reentrant=False)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


# --- module globals, closed-over state ------------------------------------------------------------
def by_global(x: Tensor) -> Tensor:
    global _CALLS
    _CALLS += 1  # error: [TBR205]
    if _CALLS > 100:  # error: [TBR202]
        x = x.tanh()
    return x.sin()


def by_entry(x: Tensor) -> Tensor:
    _SEEN["steps"] += 1  # error: [TBR205]
    if _SEEN["steps"] % 10 == 0:  # error: [TBR202]
        x = x.tanh()
    return x.sin()


def run_globals(x: Tensor) -> Tensor:
    return checkpoint(by_entry, checkpoint(by_global, x, use_reentrant=False), use_reentrant=False)


def run_nonlocal(x: Tensor) -> Tensor:
    turns = 0

    def region(h: Tensor) -> Tensor:
        nonlocal turns
        turns += 1  # error: [TBR205]
        if turns == 1:  # error: [TBR202]
            h = h.tanh()
        return h.sin()

    return checkpoint(region, x, use_reentrant=False)


# --- tempting, and rightly silent -----------------------------------------------------------------
class Cache:
    def __init__(self) -> None:
        self.keys: Tensor | None = None
        self.filled = 0

    def update(self, keys: Tensor) -> Tensor:
        self.keys = keys if self.keys is None else torch.cat([self.keys, keys], dim=-2)  # error: [TBR205]
        self.filled += keys.shape[-2]  # error: [TBR205]
        return self.keys


class Windowed(nn.Module):
    def __init__(self, window: int = 8, shift: int = 4) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.window = window
        self.shift = shift

    def fit(self, size: int) -> None:
        if size <= self.window:  # ok: [TBR202] written with the same value when it runs again
            self.shift = 0

    def roll(self, x: Tensor, back: bool = False) -> Tensor:
        if self.shift > 0:  # ok: [TBR202] written at the start of every run, before it is read
            x = x.roll(self.shift if back else -self.shift, 0)
        return x

    def forward(self, x: Tensor, past_cache: Cache | None = None) -> Tensor:
        self.fit(x.shape[0])
        x = self.roll(x)
        keys = self.fc(x)
        if past_cache is not None:
            keys = past_cache.update(keys)
            if past_cache.filled > 16:  # ok: [TBR202] the cache's own growth is what is reported
                keys = keys[-16:]
        return self.roll(keys, back=True)


class Stage(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Windowed() for _ in range(depth))

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x


def run_windowed(block: Windowed, stage: Stage, x: Tensor, cache: Cache) -> Tensor:
    x = checkpoint(block, x, cache, use_reentrant=False)
    return checkpoint(stage, x, use_reentrant=False)


class Calm(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.depth = depth
        self.epoch = 0
        self.last_width = 0
        self.calls = 0
        self.cap_fired = False
        self.positions: Tensor | None = None

    def grow(self) -> int:
        local = 0
        for _ in range(self.depth):
            local += 1
        return local

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1  # error: [TBR205]
        self.cap_fired = bool((x > 1).any())
        h = self.fc(x)
        if self.epoch > 3:  # ok: [TBR202] changed by the trainer, outside of the region
            h = h * 2
        if self.depth > 1:  # ok: [TBR202] set once, in `__init__`
            h = h.sin()
        count = 0
        for _ in range(self.depth):
            count += 1
        if count > 1:  # ok: [TBR202] a local: each run starts anew
            h = h.cos()
        if self.grow() > 1:  # ok: [TBR202] a local of a helper
            h = h.sin()
        self.last_width = h.shape[-1]
        if self.last_width > 2:  # ok: [TBR202] written before it is read: the recompute writes the same
            h = h * 0.5
        if self.positions is None:  # ok: [TBR202] a cache of constants, the same tensors when it is filled and when not
            self.positions = torch.arange(4.0)
        groups = defaultdict(list)
        groups["all"].append(h)
        if len(groups["all"]) == 1:  # ok: [TBR202] a local container
            h = h + self.positions
        return h


def train(block: Calm, batches) -> None:
    for epoch, x in enumerate(batches):
        block.epoch = epoch
        checkpoint(block, x, use_reentrant=False).sum().backward()


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        if self.calls % 2 == 1:  # ok: [TBR202] this module is not checkpointed; its layer is
            x = x.tanh()
        return checkpoint(self.fc, x, use_reentrant=False)


class Tally(nn.Module):
    """The state is named, not the local that holds what was read of it."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.runs_by_head: dict[str, int] = {}

    def body(self, x: Tensor) -> Tensor:
        self.runs_by_head["main"] = self.runs_by_head.get("main", 0) + 1  # error: [TBR205]
        runs = self.runs_by_head.get("main", 0)
        if runs > 3:  # error: [TBR202] "region changes `self.runs_by_head`, which decides"
            x = x.sin()
        return self.fc(x)

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.body, x, use_reentrant=False)


class Keyed(nn.Module):
    """A key that is not known is counted up: what is asked of others is another matter."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.key = f"{name}_steps"

    def forward(self, x: Tensor, group: dict[str, int]) -> Tensor:
        group[self.key] = group.get(self.key, 0) + 1  # error: [TBR205]
        if group.get("smooth", 0):  # ok: [TBR202] an option
            x = x.sin()
        if group["double"]:  # ok: [TBR202] an option
            x = x * 2
        if group[self.key] % 2:  # error: [TBR202]
            x = x.cos()
        return self.fc(x)


def keyed(module: Keyed, x: Tensor, group: dict[str, int]) -> Tensor:
    return checkpoint(module, x, group, use_reentrant=False)


class Decayed(nn.Module):
    """What is written into a parameter leaves its name alone."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        penalty = x.new_zeros(())
        for name, p in self.fc.named_parameters():
            if "bias" in name:  # ok: [TBR202] the same names in every run
                continue
            with torch.no_grad():
                p.mul_(0.99)  # error: [TBR205]
            penalty = penalty + p.square().sum()
        return self.fc(x) + penalty


def decayed(module: Decayed, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)
