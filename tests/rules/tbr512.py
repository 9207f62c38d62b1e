"""TBR512: a checkpoint of the project's own saves an argument that is no tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


@dataclass
class Mask:
    index: torch.Tensor


class Saves(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Any, *args: Any) -> torch.Tensor:
        ctx.function = function
        ctx.save_for_backward(*args)
        with torch.no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        args = [a.detach().requires_grad_() for a in ctx.saved_tensors]
        with torch.enable_grad():
            torch.autograd.backward(ctx.function(*args), grad)
        return None, *(a.grad for a in args)


class Keeps(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Any, x: torch.Tensor, mask: Any) -> torch.Tensor:
        ctx.function, ctx.mask = function, mask
        ctx.save_for_backward(x)
        with torch.no_grad():
            return function(x, mask)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            torch.autograd.backward(ctx.function(x, ctx.mask), grad)
        return None, x.grad, None


def masked(layer: nn.Module, x: torch.Tensor, mask: Mask) -> torch.Tensor:
    return Saves.apply(layer, x, mask)  # error: [TBR512]


def scaled(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return Saves.apply(layer, x, 2.0)  # error: [TBR512]


def listed(layer: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return Saves.apply(layer, x, [x, y])  # error: [TBR512]


# Rightly silent.


def tensors(layer: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return Saves.apply(layer, x, y)  # ok: [TBR512] both are tensors


def nothing(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return Saves.apply(layer, x, None)  # ok: [TBR512] None may be saved


def inside_only(layer: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return Saves.apply(layer, [x, y])  # ok: [TBR512] no tensor among the inputs, so nothing is saved


def kept(layer: nn.Module, x: torch.Tensor, mask: Mask) -> torch.Tensor:
    return Keeps.apply(layer, x, mask)  # ok: [TBR512] kept on ctx, not among the saved tensors


def unknown(layer: nn.Module, x: torch.Tensor, mask: Any) -> torch.Tensor:
    return Saves.apply(layer, x, mask)  # ok: [TBR512] nothing is known of it


again = Saves.apply


def renamed(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    parts = [x, 2.0]
    return again(layer, x, 2) + Saves.apply(layer, *parts)  # error: 12 [TBR512] "`2`"  # error: 33 [TBR512] "`parts`"


def passed_on(layer: nn.Module, *rest: Any) -> torch.Tensor:
    return Saves.apply(layer, *rest)  # error: [TBR512] "`2.0`"


def passed_tensors(layer: nn.Module, *rest: Any) -> torch.Tensor:
    return Saves.apply(layer, *rest)  # ok: [TBR512] its callers give tensors


def pass_on(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return passed_on(layer, x, 2.0) + passed_tensors(layer, x, x * 2)
