"""Regions that the wrappers of the file beside this one begin."""

import torch
from torch import Tensor, nn

from .saving import Saving, recomputed, recomputed_if, run_block, timed


@recomputed
def decorated(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR201]
        x = x.sin()
    return x.cos()


@recomputed_if(True)
def by_factory(x: Tensor) -> Tensor:
    return x.sin() if x.max() > 1 else x.cos()  # error: [TBR201]


def handed_on(x: Tensor) -> Tensor:
    if x.norm() > 1:  # error: [TBR201]
        x = x / x.norm()
    return x.sin()


def run_handed_on(x: Tensor) -> Tensor:
    return run_block(handed_on, x)


class Held(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.min() < 0:  # error: [TBR201]
            x = x.abs()
        return x.sin()


held = Saving(Held())


def only_timed(x: Tensor) -> Tensor:
    if x.std() > 1:  # error: [TBR101]
        x = x / x.std()
    return x.sin()


def run_timed(x: Tensor) -> Tensor:
    return timed(only_timed, torch.relu(x))  # ok: [TBR201] a wrapper that checkpoints nothing
