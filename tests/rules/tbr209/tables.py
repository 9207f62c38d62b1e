"""Caches built from parameters, and from constants."""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn


class Learned(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.kept: Tensor | None = None

    def table(self) -> Tensor:
        if self.kept is None:
            self.kept = torch.exp(self.weight)
        return self.kept

    def forward(self, x: Tensor) -> Tensor:
        return x * self.table()


class Fixed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.kept: Tensor | None = None

    def table(self) -> Tensor:
        if self.kept is None:
            self.kept = torch.arange(4.0).cos()
        return self.kept

    def forward(self, x: Tensor) -> Tensor:
        return (x * self.table()).sin()


@functools.lru_cache
def positions(size: int) -> Tensor:
    return torch.arange(float(size)).cos()


class Remembering(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    @functools.lru_cache(maxsize=None)
    def scale(self, size: int) -> Tensor:
        return torch.exp(torch.sin(self.weight[:size]))


LAYER = nn.Linear(4, 4)


@functools.cache
def squashed() -> Tensor:
    return LAYER.weight.tanh()


@functools.cache
def doubled() -> Tensor:
    return LAYER.weight * 2


def mixed(x: Tensor) -> Tensor:
    return (x @ squashed()).sin()


def unsaved(x: Tensor) -> Tensor:
    return (x @ doubled()).sin()


def shifted(x: Tensor) -> Tensor:
    return (x + positions(4)).sin()
