"""Loops whose closures the file beside this one checkpoints."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .saving import Saver, bind, run, timed


def by_wrapper(layers: nn.ModuleList, x: torch.Tensor) -> torch.Tensor:
    for layer in layers:
        x = run(lambda h: layer(h), x)  # error: [TBR206]
    return x


class Stack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.saver = Saver()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = self.saver.save(lambda h: layer(h), x)  # error: [TBR206]
        return x


def by_default(layers: nn.ModuleList, x: torch.Tensor) -> torch.Tensor:
    for layer in layers:
        x = run(lambda h, layer=layer: layer(h), x)  # ok: [TBR206] bound by a default
    return x


def by_factory(layers: nn.ModuleList, x: torch.Tensor) -> torch.Tensor:
    for layer in layers:
        x = checkpoint(bind(layer), x, use_reentrant=False)  # ok: [TBR206] a closure of its own, made in the other file
    return x


def not_saved(layers: nn.ModuleList, x: torch.Tensor) -> torch.Tensor:
    for layer in layers:
        x = timed(lambda h: layer(h), x)  # ok: [TBR206] this function of the other file only calls it
    return x
