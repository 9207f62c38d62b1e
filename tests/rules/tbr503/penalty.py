"""Derivatives through checkpoints, with the help of the file beside this one."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .layers import Body, full, saved, saved_reentrantly, slope


class Critic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = Body()

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.body, self.stem(x), use_reentrant=True)  # error: [TBR503]


def penalty(critic: Critic, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    return torch.autograd.grad(critic(x).sum(), x, create_graph=True)[0].norm()


def by_a_helper(body: Body, x: Tensor) -> Tensor:
    y = checkpoint(body, x.requires_grad_(), use_reentrant=True)  # error: [TBR503]
    return slope(y, x)


def not_reentrant(body: Body, x: Tensor) -> Tensor:
    x = x.requires_grad_()
    return torch.autograd.grad(saved(body, x).sum(), x)[0]  # ok: [TBR503] the other file's wrapper supports it


def reentrant_elsewhere(body: Body, x: Tensor) -> Tensor:
    y = saved_reentrantly(body, x.requires_grad_())  # error: [TBR503]
    return torch.autograd.grad(y.sum(), x)[0]


def ends_at_the_output(body: Body, x: Tensor) -> Tensor:
    y = saved_reentrantly(body, x.requires_grad_())  # ok: [TBR503] the backward does not reach the checkpoint
    return torch.autograd.grad(y.square().sum(), y)[0]


def whole(body: Body, x: Tensor) -> None:
    y = checkpoint(body, x.requires_grad_(), use_reentrant=True)  # ok: [TBR503] the other file runs a full backward
    full(y)
