"""Custom functions in checkpointed regions, by how often their backward reads what was saved."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        (x, _), w = ctx.saved_tensors, ctx.saved_tensors[1]  # error: [TBR212]
        return grad * w, grad * x


class Counted(Twice):
    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        if len(ctx.saved_tensors) != 2:
            raise ValueError("two were saved")
        x, w = ctx.saved_tensors  # error: [TBR212]
        return grad * w, grad * x


class Nested(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(context: Any, grad: Tensor) -> Any:
        def saved(position: int) -> Tensor:
            return context.saved_tensors[position]

        return grad * context.saved_tensors[1], grad * saved(0)  # error: [TBR212]


class Looped(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return tuple(grad * ctx.saved_tensors[1 - i] for i in range(2))  # error: [TBR212]


class Asked(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        of_x = of_w = None
        if ctx.needs_input_grad[0]:
            of_x = grad * ctx.saved_tensors[1]
        if ctx.needs_input_grad[1]:
            of_w = grad * ctx.saved_tensors[0]  # error: [TBR212]
        return of_x, of_w


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        x, w = ctx.saved_tensors  # ok: [TBR212] read once
        return grad * w, grad * x


class Either(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, flag: bool) -> Tensor:
        ctx.save_for_backward(x, w)
        ctx.flag = flag
        return x * w

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        if ctx.flag:
            x, w = ctx.saved_tensors
            return grad * w, grad * x, None
        if ctx.needs_input_grad[0]:
            x, w = ctx.saved_tensors  # ok: [TBR212] the other read has returned
            return grad * w, grad * x, None
        for t in ctx.saved_tensors:  # ok: [TBR212] what a loop goes over is read once
            grad = grad * t
        return grad, None, None


class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: float) -> Tensor:
        ctx.w = w
        return x * w

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        assert not ctx.saved_tensors and ctx.saved_tensors == ()  # ok: [TBR212] nothing was saved
        return grad * ctx.w, None


class Elsewhere(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        x = ctx.saved_tensors[0]
        w = ctx.saved_tensors[1]  # ok: [TBR212] no non-reentrant checkpoint applies it
        return grad * w, grad * x


nested = Nested.apply


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))

    def scaled(self, x: Tensor) -> Tensor:
        return Asked.apply(Looped.apply(nested(x, self.w), self.w), self.w)

    def forward(self, x: Tensor) -> Tensor:
        x = Twice.apply(x.sin(), self.w) + Counted.apply(x.cos(), self.w) + self.scaled(x)
        return Once.apply(x, self.w) + Either.apply(x, self.w, True) + Kept.apply(x, 2.0)

    def reentrant(self, x: Tensor) -> Tensor:
        return Elsewhere.apply(x.sin(), self.w)


def run(block: Block, x: Tensor) -> Tensor:
    x = checkpoint(block, x, use_reentrant=False)
    x = checkpoint(block.reentrant, x, use_reentrant=True)
    return Elsewhere.apply(x, block.w)
