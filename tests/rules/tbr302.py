"""TBR302: a loop or a look-up fixes a size to its value in a compiled region."""

import torch
import torch as th
from torch import Tensor, nn

_SCALES = {4: 0.5, 8: 0.25}


# --- range, rows, look-ups ------------------------------------------------------------------------
@torch.compile(backend="eager")
def decayed_sum(x: Tensor) -> Tensor:
    total = x.new_zeros(x.shape[0])
    for i in range(x.shape[1]):  # error: [TBR302]
        total = 0.5 * total + x[:, i]
    return total


@th.compile(backend="eager")
def by_rows(x: th.Tensor) -> th.Tensor:
    total = th.zeros(())
    for row in x:  # error: [TBR302]
        total = total + row.sin().sum()
    for i, row in enumerate(x):  # error: [TBR302]
        total = total + i * row.sum()
    for column in x.unbind(1):  # error: [TBR302]
        total = total * column.mean()
    return total


@torch.compile(backend="eager")
def by_name(x: Tensor) -> Tensor:
    batch, length = x.shape
    steps = length - 1
    for i in range(1, steps):  # error: [TBR302]
        x = x + x.roll(i, 1)
    for i in reversed(range(len(x))):  # error: [TBR302]
        x = x * (i + 1)
    i = 0
    while i < batch:  # error: [TBR302]
        x = x + 1
        i += 1
    return x


@torch.compile(backend="eager")
def looked_up(x: Tensor) -> Tensor:
    return x * _SCALES[x.shape[1]]  # error: [TBR302]


@torch.compile(backend="eager")
def looked_up_elsewhere(x: Tensor, factors: list[float]) -> Tensor:
    x = x * factors[x.shape[1]]  # error: [TBR302]
    return x * _SCALES.get(x.size(0), 1.0)  # error: [TBR302]


# --- reached through calls and modules ------------------------------------------------------------
def row_means(x: Tensor) -> list[Tensor]:
    return [row.mean() for row in x]  # error: [TBR302]


class Recurrence(nn.Module):
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.decay = nn.Parameter(torch.full((width,), 0.5))

    def forward(self, x):
        h = self.decay * x
        state = torch.zeros_like(h[:, 0])
        for t in range(h.size(1)):  # error: [TBR302]
            state = self.decay * state + h[:, t]
        return state


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cells = nn.ModuleList([Recurrence()])

    def forward(self, x: Tensor) -> Tensor:
        for cell in self.cells:
            x = x + cell(x).unsqueeze(1)
        return torch.stack(row_means(x))


model = torch.compile(Model(), backend="eager")


# --- tempting, and rightly silent -----------------------------------------------------------------
class Calm(nn.Module):
    def __init__(self, depth: int = 3) -> None:
        super().__init__()
        self.depth = depth
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        self.scale = nn.Parameter(torch.ones(3, 4))

    def turns(self) -> range:
        return range(self.depth)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(self.depth):  # ok: [TBR302] fixed in `__init__`
            x = x.sin()
        for _ in self.turns():  # ok: [TBR302] the same, across a call
            x = x.cos()
        x = x * [0.5, 0.25][self.scale.shape[0] - 2]  # ok: [TBR302] by the size of a parameter
        q, k = [part.sin() for part in x.unbind(0)]  # ok: [TBR302] the names tell the number
        x = torch.stack([q, k])
        for layer in self.layers:  # ok: [TBR302] a list of modules
            x = layer(x)
        for row in self.scale:  # ok: [TBR302] the rows of a parameter are as many every time
            x = x * row
        for part in x.chunk(2, dim=-1):  # ok: [TBR302] a fixed number of pieces
            x = x + part.sum()
        for _ in range(x.ndim):  # ok: [TBR302] the rank
            x = x * 2
        weights = 0.5 ** torch.arange(x.shape[1])  # ok: [TBR302] a size in `arange` stays symbolic
        return (x.transpose(1, 2) * weights).sum(-1)


calm = torch.compile(Calm(), backend="eager")

step = torch.compile(torch.sin, backend="eager")


def eager_loop(x: Tensor) -> Tensor:
    for t in range(x.shape[1]):  # ok: [TBR302] the loop is eager, only its body is compiled
        x = x + step(x[:, t : t + 1])
    return x


def eager_rows(x: Tensor) -> Tensor:
    return torch.stack([row.sum() for row in x])  # ok: [TBR302] nobody compiles this


def equations(t: Tensor, fresh=True):
    state, found = [], []
    for i, size in enumerate(t.shape):
        if fresh:
            state.append(torch.ones(size))
        found.append("ab"[i])
    found = tuple(found)
    if fresh:
        return [state, ("ab", found, "a")]
    return "ab", found, "a"


@torch.compile(dynamic=False)
def terms(expressions, x):
    found = []
    for e in expressions:  # ok: [TBR302] as many strings as dimensions: the rank
        found.append(torch.einsum(e, x))
    return found


class Preconditioned(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {})
        self.made = {}

    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if len(self.state[p]) == 0:
                    self.state[p]["q"], expressions = equations(p.grad)
                    self.made[p] = expressions
                elif p not in self.made:
                    expressions = equations(p.grad, fresh=False)
                    self.made[p] = expressions
                else:
                    expressions = self.made[p]
                first, rest, _ = expressions
                terms(rest, p.grad)


@torch.compile(backend="eager")
def scaled(x: Tensor | float) -> Tensor:
    return torch.stack([row.sin() for row in x])  # error: [TBR302]


@torch.compile
def padded(x: torch.Tensor, names: dict[str, float]) -> torch.Tensor:
    rows = x.shape[0]
    if rows > 64:  # ok: [TBR302] one test, one more graph
        raise ValueError("too many rows: " + str(rows))  # ok: [TBR302] only said
    print(str(rows))
    room = 1 << (rows - 1).bit_length()  # error: [TBR302]
    return x.new_zeros(room) * names[str(rows)]  # error: [TBR302]
