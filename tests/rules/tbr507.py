"""TBR507: a flag by position that the checkpointed function does not take."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x)


class Flagged(nn.Module):
    def forward(self, x: torch.Tensor, causal: bool = False) -> torch.Tensor:
        return x.tril() if causal else x


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def to_a_module(block: Block, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, False)  # error: [TBR507]  # error: [TBR506]


def to_a_function(x: torch.Tensor) -> torch.Tensor:
    return cp.checkpoint(double, x, True, use_reentrant=False)  # error: [TBR507]


def to_a_layer(layer: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(layer, x, False, use_reentrant=False)  # error: [TBR507]


# Rightly silent.


def taken(block: Flagged, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, True, use_reentrant=False)  # ok: [TBR507] the function has such a parameter


def unknown(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, None, False, use_reentrant=False)  # ok: [TBR507] nothing is known of its parameters


def variadic(x: torch.Tensor) -> torch.Tensor:
    def run(*args: torch.Tensor | bool) -> torch.Tensor:
        return double(args[0])

    return checkpoint(run, x, True, use_reentrant=False)  # ok: [TBR507] takes any number


def sequential(chain: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
    return checkpoint_sequential(chain, 2, x, False)  # ok: [TBR507] the fourth parameter is use_reentrant


def by_name(block: Block, flagged: Flagged, x: torch.Tensor) -> torch.Tensor:
    reentrant = False
    parts = (x, False)
    x = checkpoint(flagged, *parts, use_reentrant=False)  # ok: [TBR507] the function takes it
    x = checkpoint(block, *parts)  # error: [TBR507]  # error: [TBR506]
    return checkpoint(block, x, reentrant)  # error: [TBR507]  # error: [TBR506]


REENTRANT = False


class Holds(nn.Module):
    def __init__(self, reentrant: bool = False) -> None:
        super().__init__()
        self.fc, self.reentrant = nn.Linear(4, 4), False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = checkpoint(self.fc, x, self.reentrant, use_reentrant=False)  # error: [TBR507]
        x = checkpoint(self.fc, x, REENTRANT, use_reentrant=False)  # error: [TBR507]
        return checkpoint(self.fc, x, not REENTRANT, use_reentrant=False)  # error: [TBR507]


def one(x: torch.Tensor) -> torch.Tensor:
    return x.sin()


def flagged(x: torch.Tensor, flag: bool) -> torch.Tensor:
    return x.sin() if flag else x


def behind(function: Callable[..., torch.Tensor], *args: torch.Tensor) -> torch.Tensor:
    return checkpoint(function, *args, False, use_reentrant=False)  # error: [TBR507]


def behind_rightly(function: Callable[..., torch.Tensor], *args: torch.Tensor) -> torch.Tensor:
    return checkpoint(function, *args, False, use_reentrant=False)  # ok: [TBR507] the function takes it


def callers(x: torch.Tensor) -> torch.Tensor:
    return behind(one, x) + behind_rightly(flagged, x)
