"""TBR212: reads of the saved tensors by aliases, helpers, nested functions and `getattr`."""

from __future__ import annotations

import torch
from torch.utils.checkpoint import checkpoint


def saved_of(ctx):
    return ctx.saved_tensors


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w


class Helper(Function):
    @staticmethod
    def backward(ctx, g):
        x, _ = saved_of(ctx)
        _, w = saved_of(ctx)  # error: [TBR212]
        return g * w, g * x


class HelperOnce(Function):
    @staticmethod
    def backward(ctx, g):
        x, w = saved_of(ctx)  # ok: [TBR212] one read
        return g * w, g * x


class Alias(Function):
    @staticmethod
    def backward(ctx, g):
        c = ctx
        x, _ = c.saved_tensors
        _, w = ctx.saved_tensors  # error: [TBR212]
        return g * w, g * x


class Asked(Function):
    @staticmethod
    def backward(ctx, g):
        x, _ = getattr(ctx, "saved_tensors")
        _, w = ctx.saved_tensors  # error: [TBR212]
        return g * w, g * x


class Nested(Function):
    @staticmethod
    def backward(ctx, g):
        def read():
            return ctx.saved_tensors

        x, _ = read()
        _, w = read()  # error: [TBR212]
        return g * w, g * x


class NestedOnce(Function):
    @staticmethod
    def backward(ctx, g):
        def read():
            return ctx.saved_tensors  # ok: [TBR212] called once

        x, w = read()
        return g * w, g * x


def region(x, w):
    x = Helper.apply(x, w) + HelperOnce.apply(x, w) + Alias.apply(x, w)
    return Asked.apply(x, w) + Nested.apply(x, w) + NestedOnce.apply(x, w)


def run(x, w):
    return checkpoint(region, x, w, use_reentrant=False)
