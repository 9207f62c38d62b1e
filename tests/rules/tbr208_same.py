"""TBR208 where what is done between changes nothing that is computed."""

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize
from torch.utils.checkpoint import checkpoint


class Same(nn.Module):
    def forward(self, w: Tensor) -> Tensor:
        return w


class Halved(nn.Module):
    def forward(self, w: Tensor) -> Tensor:
        return w / 2


def train(net: nn.Linear, x: Tensor) -> None:
    net = nn.Linear(4, 4)
    loss = checkpoint(net, x, use_reentrant=False).square().sum()
    parametrize.register_parametrization(net, "weight", Same())  # ok: [TBR208] gives the weight back
    parametrize.register_parametrization(net, "weight", Halved())  # error: [TBR208]
    net.in_features = 8  # ok: [TBR208] no forward reads it
    net.requires_grad_()  # ok: [TBR208] it does already
    net.bias = None  # error: [TBR208]
    loss.backward()
