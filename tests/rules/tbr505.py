"""TBR505: a computed tensor that a reentrant checkpoint closes over and that is used elsewhere, too."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
        return self.fc(x) * condition


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.condition = nn.Linear(4, 4)
        self.blocks = nn.ModuleList(Block() for _ in range(2))

    def by_partial(self, x: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        condition = self.condition(style).tanh()
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(functools.partial(block, condition=condition), x, use_reentrant=True)  # error: [TBR505]
        return x

    def by_default_argument(self, x: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        condition = self.condition(style)
        x = self.stem(x)
        for block in self.blocks:

            def run(h: torch.Tensor, inner: Block = block) -> torch.Tensor:
                return inner(h, condition)

            x = checkpoint(run, x, use_reentrant=True)  # error: [TBR505]
        return x

    def used_after(self, x: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        condition = self.condition(style) * 2.0
        x = self.stem(x)
        y = checkpoint(lambda h: self.blocks[0](h, condition), x, use_reentrant=True)  # error: [TBR505]
        return y + condition

    # Rightly silent.

    def as_argument(self, x: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        condition = self.condition(style).tanh()
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(block, x, condition, use_reentrant=True)  # ok: [TBR505] a direct argument
        return x

    def not_reentrant(self, x: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        condition = self.condition(style)
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(functools.partial(block, condition=condition), x, use_reentrant=False)  # ok: [TBR505] fine
        return x

    def used_once(self, x: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        condition = self.condition(style)
        x = self.stem(x)
        return checkpoint(lambda h: self.blocks[0](h, condition), x, use_reentrant=True)  # ok: [TBR505] one user

    def leaf(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(functools.partial(block, condition=mask), x, use_reentrant=True)  # ok: [TBR505] the caller's
        return x

    def cut(self, x: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        condition = self.condition(style).detach()
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(functools.partial(block, condition=condition), x, use_reentrant=True)  # ok: [TBR505] detached
        return x


class Conditioned(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(3, 3)
        self.stem = nn.Linear(3, 3)
        self.blocks = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))

    def forward(self, x: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        c = self.embed(c)
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(lambda h, block=block: block(h) + c, x, use_reentrant=True)  # error: [TBR505]
        return x


class Made(Conditioned):
    def forward(self, x: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        shift = self.embed(c).relu()
        x = self.stem(x)

        def made(block: nn.Module) -> Any:
            def run(h: torch.Tensor) -> torch.Tensor:
                out: torch.Tensor = block(h) + shift
                return out

            return run

        for block in self.blocks:
            x = checkpoint(made(block), x, use_reentrant=True)  # error: [TBR505]
        return x


class Untouched(Conditioned):
    def forward(self, x: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(lambda h, block=block: block(h) + c, x, use_reentrant=True)  # ok: [TBR505] not yet computed  # error: [TBR206]
        c = self.embed(c)
        return x + c


def twice(layer: nn.Linear, head: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    condition = head(x).tanh()

    def region(h: torch.Tensor) -> torch.Tensor:
        return layer(h) * condition

    x = checkpoint(region, layer(x), use_reentrant=True)  # error: [TBR505]
    return checkpoint(region, x, use_reentrant=True)  # ok: [TBR505] told of above


def once(layer: nn.Linear, head: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    condition = head(x).tanh()

    def region(h: torch.Tensor) -> torch.Tensor:
        return layer(h) * condition

    return checkpoint(region, layer(x), use_reentrant=True)  # ok: [TBR505] one region alone


def by_default(stem: nn.Linear, layer: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    condition = stem(x)
    y = checkpoint(lambda h, c=condition: layer(h) * c, x, use_reentrant=True)  # error: [TBR505] "condition"
    return y + condition


def called_again(stem: nn.Linear, layer: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    condition, other = stem(x), stem(x)

    def shared(h: torch.Tensor) -> torch.Tensor:
        return layer(h) * condition

    def single(h: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return layer(h) * c

    y = checkpoint(shared, x, use_reentrant=True)  # error: [TBR505] "condition"
    y = checkpoint(single, y, other, use_reentrant=True)  # ok: [TBR505] an argument
    return single(shared(y), other)


def handed(block: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=True)  # error: [TBR505] "condition"


def from_a_caller(stem: nn.Linear, layer: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    condition = stem(x)
    return handed(lambda h: layer(h) * condition, x) + condition


class OnSelf(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem, self.layer = nn.Linear(4, 4), nn.Linear(4, 4)

    def scaled(self, h: torch.Tensor) -> torch.Tensor:
        return self.layer(h) * self.scale

    def twice(self, x: torch.Tensor) -> torch.Tensor:
        self.scale = self.stem(x)
        x = checkpoint(self.scaled, x, use_reentrant=True)  # error: [TBR505] "self.scale"
        return checkpoint(self.scaled, x, use_reentrant=True)  # ok: [TBR505] told of above

    def once(self, x: torch.Tensor) -> torch.Tensor:
        self.scale = self.stem(x)
        return checkpoint(self.scaled, x, use_reentrant=True)  # ok: [TBR505] one region alone
