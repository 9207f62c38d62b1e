"""Modules, a policy and contexts that another file checkpoints and compiles."""

import functools

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts


def policy(ctx, op, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if op is torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE


selective = functools.partial(create_selective_checkpoint_contexts, policy)


class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x @ x).sin()


def block(x: Tensor) -> Tensor:
    return (x @ x).cos()


fast = torch.compile(block)


def chosen(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))
