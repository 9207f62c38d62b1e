"""TBR101, TBR102: what is decided is told by what is read later, and the advice fits what decides."""

import random

import numpy as np
import torch
from torch import Tensor, nn


class Dropped(nn.Module):
    def __init__(self, rate: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4)])
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        if torch.rand(1) < self.rate:  # error: [TBR101] "draw it on the host: `random.random()`"
            x = x.sin()
        for layer in self.layers:
            if torch.rand([]) < self.rate:  # error: [TBR102] "draw it on the host"
                continue
            x = layer(x)
        return x


def selected(x: Tensor, mask: Tensor) -> Tensor:
    kept = x[mask.bool()]
    return kept.mean() if kept.numel() > 0 else x.new_zeros(())  # error: [TBR101] "weigh by the mask"


def capped(x: Tensor) -> Tensor:
    scale = (1.0 / x.norm(dim=-1, keepdim=True)).clamp(max=1.0)
    # error: [TBR101] "do it always, by a factor capped at 1"
    if (scale < 1.0).any():
        x = x * scale
    return x.sin()


def masked(x: Tensor, mask: Tensor) -> Tensor:
    if mask.any():  # error: [TBR101] "whether `masked_fill_()` runs; do it always, under a mask"
        x.masked_fill_(mask, 0.0)
    return x.sin()


def rows(x: Tensor, grid: Tensor) -> list[Tensor]:
    return [x[:h] * w for h, w in grid.tolist()]  # error: [TBR102] "what each round works on; work on all rows at once"


def noisy(x: Tensor, t: Tensor, learned: bool) -> Tensor:
    variance = torch.zeros(())
    if t > 0:  # error: [TBR101] "what `variance` is"
        device = x.device
        noise = torch.randn(4, device=device)
        if learned:
            variance = noise * x.var()
        else:
            variance = noise
    return x + variance


def ended(x: Tensor, mask: Tensor) -> Tensor:
    if mask.sum() == 0:  # error: [TBR101] "what is returned"
        mode = "empty"
        print(mode)
        return x * 0.0
    return x.sin() * mask


def mixed(x: Tensor, p: Tensor, g: torch.Generator) -> Tensor:
    if torch.rand(1, generator=g) < 0.5:  # error: [TBR101] "draw it on the host"
        x = x * 1.5
    if torch.rand(1) < random.random():  # error: [TBR101] "draw it on the host"
        x = x * 2.5
    coin = torch.rand(1, generator=g)
    if coin < 0.5:  # error: [TBR101] "draw it on the host"
        x = x * 3.5
    if x.mean() > random.random():  # error: [TBR101] "pick with `torch.where`"
        x = x * 4.5
    if random.random() < p.item():  # error: [TBR101] "pick with `torch.where`"
        x = x * 5.5
    if np.random.rand() < float(p):  # error: [TBR101] "pick with `torch.where`"
        x = x * 6.5
    if torch.rand(1, generator=g) < x.mean():  # error: [TBR101] "pick with `torch.where`"
        x = x * 7.5
    if torch.bernoulli(p, generator=g) > 0:  # error: [TBR101] "pick with `torch.where`"
        x = x * 8.5
    weighed = torch.rand(1, generator=g) * x.mean()
    if weighed < 0.5:  # error: [TBR101] "pick with `torch.where`"
        x = x * 9.5
    return x


def trimmed(x: Tensor, mask: Tensor) -> Tensor:
    n = int(mask.sum(1).max())
    if mask.any():  # error: [TBR101] "decides what `x` is; keep the size and mask"
        x = x[:, :n]
    return x.sin()


def doubled(x: Tensor) -> Tensor:
    if x.max() > 3:  # error: [TBR101] "what is returned; keep the size and mask"
        return torch.cat([x, x])
    return x.sin()


def turned(x: Tensor) -> Tensor:
    y = torch.cat([x, -x]) if x.max() > 3 else torch.cat([-x, x])  # error: [TBR101] "pick with `torch.where`"
    return y.sin()


def channel(x: Tensor) -> Tensor:
    y = x[:, 0] if x.max() > 3 else x[:, 1]  # error: [TBR101] "pick with `torch.where`"
    return y.sin()


def grids(x: Tensor, sizes: Tensor, cache: dict[int, Tensor]) -> Tensor:
    n = int(sizes.max())
    if n not in cache:  # error: [TBR101] "make the key of what is known without a read"
        cache[n] = torch.arange(n).sin()
    return x + cache[n]
