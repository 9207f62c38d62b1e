"""TBR303: Python state that a compiled function is specialised on changes from call to call."""

import torch
from torch import Tensor, nn


# --- attributes that the region itself changes ----------------------------------------------------
class Store(nn.Module):
    def __init__(self, dim: int = 4) -> None:
        super().__init__()
        self.register_buffer("keys", torch.zeros(32, dim))
        self.size = 0
        self.longest = 0
        self.seen = []

    def update(self, new: Tensor) -> Tensor:
        if self.size + new.shape[0] > 32:  # error: [TBR303] "`self.size`"
            raise ValueError("full")
        self.keys[self.size : self.size + new.shape[0]] = new
        self.size += new.shape[0]
        return self.keys

    def remember(self, new: Tensor) -> Tensor:
        self.seen.append(new)  # error: [TBR303] "length of `self.seen`"
        self.longest = max(self.longest, new.shape[0])  # error: [TBR303]
        return new * self.longest


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.store = Store()

    def forward(self, x: Tensor) -> Tensor:
        return self.store.update(x).sum(0) + self.store.remember(x)


decoder = torch.compile(Decoder())

CALLS = 0


@torch.compile(fullgraph=True)
def counted(x: Tensor) -> Tensor:
    global CALLS
    CALLS += 1  # error: [TBR303] "then an error"
    return x * CALLS


# --- set between calls ----------------------------------------------------------------------------
class Scheduled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.timestep = 0
        self.epoch = 0

    def set_timestep(self, timestep: int) -> None:
        self.timestep = timestep

    def forward(self, x: Tensor) -> Tensor:
        return x * self.timestep + self.epoch  # error: [TBR303] "`self.timestep`"


def sample(x: Tensor) -> Tensor:
    model = Scheduled()
    compiled = torch.compile(model)
    for step in range(50):
        model.set_timestep(step)
        x = compiled(x)
    return x


# --- instances ------------------------------------------------------------------------------------
class Layer(nn.Module):
    def __init__(self, index: int, drop: float) -> None:
        super().__init__()
        self.index = index
        self.drop = drop
        self.first = index == 0

    def forward(self, x: Tensor) -> Tensor:
        if self.first:  # ok: [TBR303] a bool: two graphs
            x = x.sin()
        return x * self.drop + self.index  # error: [TBR303] "instances"


class Stack(nn.Module):
    def __init__(self, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Layer(i, i / depth) for i in range(depth)])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def compile_layers(depth: int) -> Stack:
    stack = Stack(depth)
    for layer in stack.layers:
        layer.compile()
    return stack


class Head(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    @torch.compile
    def forward(self, x: Tensor) -> Tensor:
        return x / self.dim  # error: [TBR303] "instances"


heads = [Head(64), Head(128)]


# --- arguments ------------------------------------------------------------------------------------
class Up(nn.Module):
    def forward(self, state: tuple) -> tuple:
        hidden, *skips = state  # error: [TBR303] "length of `state`"
        return (hidden + skips[-1], *skips[:-1])


up = torch.compile(Up())


@torch.compile
def attend(x: Tensor, past: list[Tensor]) -> Tensor:
    return torch.cat(past).sum(0) + x  # error: [TBR303] "length of `past`"


@torch.compile
def repeated(x: Tensor, rounds: int, scales: list[float]) -> Tensor:
    for _ in range(rounds):  # error: [TBR303] "counts or indexes"
        x = x.sin()
    return x * rounds * scales[0]


def decode(x: Tensor) -> Tensor:
    past = [x]
    for step in range(10):
        x = attend(x, past)
        past.append(x)
        x = repeated(x, step, [1.0])
    return x


# --- tempting, and rightly silent -----------------------------------------------------------------
class Fresh(nn.Module):
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.width = width
        self.parts = []
        self.count = 0
        self.rate = 0.0
        self.last = 0
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x: Tensor) -> Tensor:
        self.parts = []
        self.count = 0
        for _ in range(3):
            self.parts.append(x)  # ok: [TBR303] starts anew in every call
            self.count += 1  # ok: [TBR303] likewise
        self.rate += 0.5  # ok: [TBR303] a float is dynamic
        self.steps += 1  # ok: [TBR303] a tensor
        self.last = x.shape[0]  # ok: [TBR303] written, never read
        return x * self.rate + self.width + self.helper(x)

    def helper(self, x: Tensor) -> Tensor:
        return x[: self.width]  # ok: [TBR303] the same in all instances


fresh = torch.compile(Fresh())


class Inner(nn.Module):
    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index

    def forward(self, x: Tensor) -> Tensor:
        return x * self.index  # ok: [TBR303] unrolled: the stack is compiled whole


class Whole(nn.Module):
    def __init__(self, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Inner(i) for i in range(depth)])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


whole = torch.compile(Whole(12))


class Position:
    def __init__(self) -> None:
        self.at = 0


@torch.compile
def moved(x: Tensor, position: Position) -> Tensor:
    position.at += 1  # ok: [TBR303] an attribute of an argument is dynamic
    return x * position.at


class Eager(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0

    def forward(self, x: Tensor) -> Tensor:
        self.step += 1  # ok: [TBR303] not compiled
        return x * self.step


@torch.compile
def fixed_list(parts: list[Tensor], scale: int) -> Tensor:
    return torch.stack(parts).sum(0) * scale  # ok: [TBR303] an int in arithmetic is dynamic


def fixed_calls(x: Tensor) -> Tensor:
    for step in range(5):
        x = fixed_list([x, x], step)
    return x


class Kept(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.position = Position()

    def forward(self, x: Tensor) -> Tensor:
        self.position.at += 1  # error: [TBR303]
        return x * self.position.at


kept = torch.compile(Kept())


@torch.compile
def handed(x: Tensor, place: Position) -> Tensor:
    place.at += 1  # ok: [TBR303] an argument's, although a module keeps such objects
    return x * place.at


class Places:
    def __init__(self) -> None:
        self.at = 0
        self.last = 0
        self.scales = [0.1 * i for i in range(32)]

    def scaled(self, x: Tensor) -> Tensor:
        at = self.at
        self.at += 1
        return x * self.scales[at] * at  # error: [TBR303] "`self.at` that counts or indexes"


places = Places()
scaled = torch.compile(places.scaled)


@torch.compile
def looked_up(x: Tensor, given: Places, table: Tensor) -> Tensor:
    given.last = given.last + 1
    x = (
        x * given.last if given.last > 2 else x + table[given.last]
    )  # ok: [TBR303] dynamic: a comparison, a tensor's item
    for _ in range(given.last):  # error: [TBR303] "`given.last`"
        x = x + 1
    return torch.cat([x] * given.last)  # error: [TBR303]


class Stepped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.turn = 0
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(32)])

    def forward(self, x: Tensor) -> Tensor:
        turn = self.turn  # error: [TBR303] "the int `self.turn` changes"
        self.turn = turn + 1
        return self.layers[turn](x)


stepped = torch.compile(Stepped())


class Items(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.counts = {"step": 0, "rate": 0.5}
        self.slots = [0, 0]

    def forward(self, x: Tensor) -> Tensor:
        self.counts["step"] += 1  # error: [TBR303] "the int `self.counts['step']`"
        self.counts["rate"] += 1  # ok: [TBR303] a float
        self.slots[0] = 0
        self.slots[0] += 1  # ok: [TBR303] starts anew in every call
        return x * self.counts["step"] * self.slots[0] * self.counts["rate"]


items = torch.compile(Items())


CALLS = 0


class Shared(nn.Module):
    count = 0
    width = 4

    def forward(self, x: Tensor) -> Tensor:
        type(self).count += 1  # error: [TBR303] "the int `count`"
        globals()["CALLS"] += 1  # error: [TBR303] "the int `CALLS`"
        return x * Shared.count * type(self).width  # ok: [TBR303] the width stays


shared = torch.compile(Shared())
