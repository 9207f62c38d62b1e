"""Scopes and switches of a project, the region that reads one, and a model that checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Switches:
    double = False
    logged = False


@contextmanager
def doubled() -> Iterator[None]:
    Switches.double = True
    try:
        yield
    finally:
        Switches.double = False


@contextmanager
def logged() -> Iterator[None]:
    Switches.logged = True
    try:
        yield
    finally:
        Switches.logged = False


def region(x: torch.Tensor) -> torch.Tensor:
    return x.sin() * 2 if Switches.double else x.sin()


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(region, x, use_reentrant=False)
