"""Inner loops over a model of the file beside this one."""

from __future__ import annotations

import torch
from torch import nn
from torch.func import functional_call

from .models import Net, Parameters, Plain


class Wrapped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = Net()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(x).tanh()


def step(net: Net, parameters: Parameters, x: torch.Tensor) -> None:
    functional_call(net, parameters, (x,)).sum().backward()  # error: [TBR407]


def nested(parameters: Parameters, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    loss = torch.func.functional_call(Wrapped(), parameters, (x,)).sum()  # error: [TBR407]
    return torch.autograd.grad(loss, tuple(parameters.values()))


def plain(net: Plain, parameters: Parameters, x: torch.Tensor) -> None:
    functional_call(net, parameters, (x,)).sum().backward()  # ok: [TBR407] this model checkpoints nothing


def evaluated(net: Net, parameters: Parameters, x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return functional_call(net, parameters, (x,))  # ok: [TBR407] no backward
