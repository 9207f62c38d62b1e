"""Home-made checkpoints, and an object, that another file uses."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass
class Mask:
    index: Tensor


class Saves(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Any, *args: Any) -> Tensor:
        ctx.function = function
        ctx.save_for_backward(*args)
        with torch.no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        args = [a.detach().requires_grad_() for a in ctx.saved_tensors]
        with torch.enable_grad():
            torch.autograd.backward(ctx.function(*args), grad)
        return None, *(a.grad for a in args)


class Keeps(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Any, x: Tensor, mask: Any) -> Tensor:
        ctx.function, ctx.mask = function, mask
        ctx.save_for_backward(x)
        with torch.no_grad():
            return function(x, mask)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            torch.autograd.backward(ctx.function(x, ctx.mask), grad)
        return None, x.grad, None
