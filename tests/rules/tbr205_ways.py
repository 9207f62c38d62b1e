"""TBR205: changes and reads that one run of a region does not both come to."""

import heapq

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Shared(nn.Module):
    """A layer makes keys and leaves them to later layers, or takes what an earlier one has left."""

    def __init__(self, index: int):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.takes = index > 2
        self.leaves = index == 2

    def forward(self, x: Tensor, shared: dict[str, Tensor]) -> Tensor:
        if self.takes:
            keys, values = shared["full"]
        else:
            keys = self.fc(x)
            values = keys.sin()
        if not self.takes:
            keys = keys.cos()
        if self.leaves:
            shared["full"] = keys, values  # ok: [TBR205] what was taken is left as it was
        return x + keys * values


class Growing(Shared):
    def forward(self, x: Tensor, shared: dict[str, Tensor]) -> Tensor:
        keys = shared["full"]
        if self.takes:
            keys = torch.cat([keys, self.fc(x)])
        shared["full"] = keys  # error: [TBR205]
        return x + keys.sum()


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.kind = None
        self.capacity = None
        self.fraction = 0.0

    def forward(self, x: Tensor) -> Tensor:
        self.kind = x.dtype  # ok: [TBR205] each run stores it before it reads it
        if not self.training and self.fraction > 0:
            self.capacity = int(self.fraction * x.shape[0])
        else:
            capacity = 2 * x.shape[0]
            self.capacity = capacity if self.capacity is None else self.capacity  # ok: [TBR205] filled once
        return self.fc(x.float()).to(self.kind)[: self.capacity]


class Sparse(nn.Module):
    def __init__(self, sparse: bool):
        super().__init__()
        self.router = Router()
        self.sparse = sparse

    def forward(self, x: Tensor) -> Tensor:
        if self.sparse:
            x = self.router(x)
        else:
            x = self.router(x.sin())
        return x


class Bias(nn.Module):
    def __init__(self, own: bool):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.own = own

    def forward(self, x: Tensor, shared: Tensor | None = None) -> Tensor:
        bias = None
        if self.own:
            bias = self.fc(x)
        if shared is not None:
            if bias is None:
                bias = shared
            else:
                bias += shared  # ok: [TBR205] the region's own
        return x + bias


class Alias(Bias):
    def forward(self, x: Tensor, shared: Tensor | None = None) -> Tensor:
        bias = shared
        if self.own:
            bias += x.mean()  # error: [TBR205]
        return x + self.fc(bias)


def run(a: Shared, b: Sparse, c: Bias, d: Alias, g: Growing, x: Tensor, bias: Tensor) -> Tensor:
    shared: dict[str, Tensor] = {}
    x = checkpoint(a, x, shared, use_reentrant=False)
    x = checkpoint(g, x, shared, use_reentrant=False)
    x = checkpoint(b, x, use_reentrant=False)
    x = checkpoint(c, x, bias, use_reentrant=False)
    return checkpoint(d, x, bias, use_reentrant=False)


def drained(layers: list[nn.Module], x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        while layers:  # error: [TBR202]
            h = layers.pop()(h).sin()  # error: [TBR205]
        return h

    return checkpoint(region, x, use_reentrant=False)


class Balanced(nn.Module):
    """A `finally` runs where the recompute stops, too."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.depth = 0
        self.level = 0
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.depth += 1  # ok: [TBR205] taken back in any case
        self.level += 1  # error: [TBR205]
        try:
            h = torch.tanh(self.fc(x))
        finally:
            self.depth -= 1
            self.calls += 1  # error: [TBR205]
        self.level -= 1  # ok: [TBR205] the recompute does not come here
        return h


def balanced(block: Balanced, x: Tensor) -> Tensor:
    return checkpoint(block, x, use_reentrant=False)


def wrapped(layers: list[nn.Linear], steps: list[float], x: Tensor) -> Tensor:
    pending, named, heap = iter(layers), iter(layers), list(steps)
    heapq.heapify(heap)

    def numbered(h: Tensor) -> Tensor:
        for i, layer in enumerate(pending):  # error: [TBR205]
            h = torch.tanh(layer(h)) * (i + 1)
        return h

    def listed(h: Tensor) -> Tensor:
        return torch.stack([layer(h) for layer in named]).sum(0).sin()  # error: [TBR205]

    def smallest(h: Tensor) -> Tensor:
        return (h * heapq.heappop(heap)).sin()  # error: [TBR205]

    def again(h: Tensor) -> Tensor:
        for i, layer in enumerate(layers):  # ok: [TBR205] a list begins anew
            h = torch.tanh(layer(h)) * i
        return h

    for region in (numbered, listed, smallest, again):
        x = checkpoint(region, x, use_reentrant=False)
    return x


class Named(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.kept: dict[str, Tensor] = {}

    def forward(self, x: Tensor) -> Tensor:
        last = self.kept["last"]
        h = self.kept["last"] = self.fc(x) * last  # error: [TBR205] "`self.kept['last']`"
        return h.sin()


def named(block: Named, x: Tensor) -> Tensor:
    return checkpoint(block, x, use_reentrant=False)


class Hourglass(nn.Module):
    """What one region pushes and another pops: the recompute of the last region finds nothing there."""

    def __init__(self) -> None:
        super().__init__()
        self.narrow, self.wide = nn.Linear(4, 2), nn.Linear(2, 4)
        self.left: list[Tensor] = []
        self.depth: list[int] = []

    def shrink(self, x: Tensor) -> Tensor:
        self.left.append(x)
        return self.narrow(x).tanh()

    def grow(self, x: Tensor) -> Tensor:
        return self.wide(x).tanh() * self.left.pop()  # error: [TBR205]

    def both(self, x: Tensor) -> Tensor:
        self.depth.append(1)
        x = self.wide(self.narrow(x)).tanh()
        return x * self.depth.pop()  # ok: [TBR205] each run pops what it pushed

    def forward(self, x: Tensor) -> Tensor:
        x = checkpoint(self.both, x, use_reentrant=False)
        x = checkpoint(self.shrink, x, use_reentrant=False)
        return checkpoint(self.grow, x, use_reentrant=False)
