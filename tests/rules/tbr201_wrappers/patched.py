"""Modules whose `forward` is replaced by a checkpoint of it."""

from __future__ import annotations

from functools import partial

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .blocks import Capped, Clamped
from .tools import patch, recomputing


@recomputing
class Decorated(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        h = x.cos()
        if h.amax() > 1:  # error: [TBR201]
            h = h / h.amax()
        return h.sin()


class Stored(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        h = x.cos()
        if h.amax() > 1:  # error: [TBR201]
            h = h / h.amax()
        return h.sin()


class Left(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        h = x.cos()
        if h.amax() > 1:  # ok: [TBR201] nobody replaces its forward  # error: [TBR101]
            h = h / h.amax()
        return h.sin()


def enable(model: nn.Module) -> None:
    for module in model.modules():
        if isinstance(module, Stored):
            module.forward = partial(checkpoint, module.forward, use_reentrant=False)


def build() -> list[nn.Module]:
    capped = patch(Capped())  # error: [TBR201]
    clamped = patch(Clamped())  # ok: [TBR201] no branch in it
    return [Left(), capped, clamped]
