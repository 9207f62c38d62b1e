"""TBR511: segments that `checkpoint_sequential` cannot make."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint_sequential

SEGMENTS = 0


def none(chain: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
    return checkpoint_sequential(chain, 0, x, use_reentrant=False)  # error: [TBR511]


def by_constant(chain: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
    return cp.checkpoint_sequential(chain, segments=SEGMENTS, input=x, use_reentrant=False)  # error: [TBR511]


def too_many(x: torch.Tensor) -> torch.Tensor:
    chain = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    return checkpoint_sequential(chain, 4, x, use_reentrant=False)  # error: [TBR511]


def too_many_functions(first: nn.Linear, second: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    return checkpoint_sequential([first, second], 3, x, use_reentrant=False)  # error: [TBR511]


# Rightly silent.


def fits(x: torch.Tensor) -> torch.Tensor:
    chain = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    return checkpoint_sequential(chain, 2, x, use_reentrant=False)  # ok: [TBR511] one function each


def unknown(chain: nn.Sequential, segments: int, x: torch.Tensor) -> torch.Tensor:
    x = checkpoint_sequential(chain, 8, x, use_reentrant=False)  # ok: [TBR511] nothing tells how long the chain is
    return checkpoint_sequential(chain, segments, x, use_reentrant=False)  # ok: [TBR511] the caller's number


def unpacked(layers: list[nn.Module], x: torch.Tensor) -> torch.Tensor:
    chain = nn.Sequential(*layers)
    return checkpoint_sequential(chain, 2, x, use_reentrant=False)  # ok: [TBR511] the list may be long


def negative(x: torch.Tensor) -> torch.Tensor:
    chain = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    return checkpoint_sequential(chain, -1, x, use_reentrant=False)  # error: [TBR511] "-1 segments checkpoints nothing"


def longer(x: torch.Tensor) -> torch.Tensor:
    chain = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    x = checkpoint_sequential(chain, len(chain) + 1, x, use_reentrant=False)  # error: [TBR511] "4 segments for 3"
    x = checkpoint_sequential(chain[:2], 3, x, use_reentrant=False)  # error: [TBR511] "3 segments for 2"
    x = checkpoint_sequential(list(chain.children()), len(chain), x, use_reentrant=False)  # ok: [TBR511] one each
    return checkpoint_sequential(chain, len(chain) // 4, x, use_reentrant=False)  # error: [TBR511] "0 segments"


def filled(x: torch.Tensor) -> torch.Tensor:
    layers: list[nn.Module] = [nn.Linear(4, 4)]
    layers.append(nn.ReLU())
    return checkpoint_sequential(nn.Sequential(*layers), 2, x, use_reentrant=False)  # ok: [TBR511] the list has grown
