"""States that are set and set back by the name of an attribute."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.scale = 1.0

    def inner(self, x):
        return self.fc(x * self.scale)

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)


def a0(net: Net, x):
    net.scale = 2.0  # error: [TBR402]
    loss = net(x).sum()
    net.scale = 1.0
    loss.backward()


def a1(net: Net, x):
    setattr(net, "scale", 2.0)  # error: [TBR402]
    loss = net(x).sum()
    setattr(net, "scale", 1.0)
    loss.backward()


def a2(net: Net, x):
    setattr(net, "scale", 2.0)  # error: [TBR402]
    loss = net(x).sum()
    net.scale = 1.0
    loss.backward()


def a3(net: Net, x):
    old = getattr(net, "scale")
    net.__dict__["scale"] = 2.0  # error: [TBR402]
    loss = net(x).sum()
    setattr(net, "scale", old)
    loss.backward()


def a4(net: Net, x):
    setattr(net, "other", 2.0)  # ok: [TBR402] the region does not read it
    loss = net(x).sum()
    setattr(net, "other", 1.0)
    loss.backward()


def a5(net: Net, x):
    setattr(net, "scale", 2.0)  # ok: [TBR402] backward runs before it is set back
    loss = net(x).sum()
    loss.backward()
    setattr(net, "scale", 1.0)
