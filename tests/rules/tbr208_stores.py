"""TBR208: the stores that change what a region reads, by every spelling."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.ReLU()
        self.scale = 1.0
        self.seen = 0
        self.register_buffer("shift", torch.zeros(4))
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.factors = [1.0, 2.0, 3.0]
        self.cfg = {"gain": 2.0}
        self.weight = nn.Parameter(torch.ones(4))

    def inner(self, x):
        x = self.act(self.fc(x)) * self.scale + self.shift
        for layer in self.layers:
            x = layer(x)
        return x * self.factors[0] * self.cfg["gain"] * self.weight

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)

    def set_scale(self, value):
        setattr(self, "scale", value)

    def set_scale2(self, value):
        self.__dict__["scale"] = value


def a1(net: Net, x):
    loss = net(x).sum()
    setattr(net, "scale", 2.0)  # error: [TBR208]
    loss.backward()


def a2(net: Net, x):
    loss = net(x).sum()
    setattr(net, "seen", 2.0)  # ok: [TBR208] the region does not read it
    loss.backward()


def a3(net: Net, x, name):
    loss = net(x).sum()
    setattr(net, name, 2.0)  # ok: [TBR208] which attribute it is does not stand there
    loss.backward()


def a4(net: Net, x):
    loss = net(x).sum()
    object.__setattr__(net, "scale", 2.0)  # error: [TBR208]
    loss.backward()


def a5(net: Net, x):
    loss = net(x).sum()
    net.__setattr__("scale", 2.0)  # error: [TBR208]
    loss.backward()


def a6(net: Net, x):
    loss = net(x).sum()
    net.__dict__["scale"] = 3.0  # error: [TBR208]
    loss.backward()


def a7(net: Net, x):
    loss = net(x).sum()
    vars(net)["scale"] = 3.0  # error: [TBR208]
    loss.backward()


def a8(net: Net, x):
    loss = net(x).sum()
    net.register_buffer("shift", torch.ones(4))  # error: [TBR208]
    loss.backward()


def a9(net: Net, x):
    loss = net(x).sum()
    net.add_module("act", nn.Tanh())  # error: [TBR208]
    loss.backward()


def a10(net: Net, x):
    loss = net(x).sum()
    net.register_module("act", module=nn.Tanh())  # error: [TBR208]
    loss.backward()


def a11(net: Net, x):
    loss = net(x).sum()
    net.register_parameter("weight", nn.Parameter(torch.zeros(4)))  # error: [TBR208]
    loss.backward()


def a12(net: Net, x):
    loss = net(x).sum()
    net.layers[0] = nn.Linear(4, 4)  # error: [TBR208]
    loss.backward()


def a13(net: Net, x):
    loss = net(x).sum()
    net.factors[0] = 5.0  # error: [TBR208]
    loss.backward()


def a14(net: Net, x):
    loss = net(x).sum()
    net.factors[1] = 5.0  # ok: [TBR208] the region reads another item
    loss.backward()


def a15(net: Net, x):
    loss = net(x).sum()
    net.cfg["gain"] = 5.0  # error: [TBR208]
    loss.backward()


def a16(net: Net, x):
    loss = net(x).sum()
    net.act = nn.Tanh()  # error: [TBR208]
    loss.backward()


def a17(net: Net, x):
    loss = net(x).sum()
    with torch.no_grad():
        net.weight[0] = 3.0  # error: [TBR208]
    loss.backward()


def a18(net: Net, x):
    loss = net(x).sum()
    net.set_scale(3.0)  # error: [TBR208]
    loss.backward()


def a19(net: Net, x):
    loss = net(x).sum()
    net.set_scale2(3.0)  # error: [TBR208]
    loss.backward()


def a20(net: Net, x):
    loss = net(x).sum()
    loss.backward()
    setattr(net, "scale", 2.0)  # ok: [TBR208] after backward
    net.layers[0] = nn.Linear(4, 4)  # ok: [TBR208] after backward


def a21(net: Net, other: Net, x):
    loss = net(x).sum()
    for p in net.parameters():
        setattr(p, "requires_grad", False)  # error: [TBR208]
    loss.backward()


def a22(net: Net, x):
    loss = net(x).sum()
    net._buffers["shift"] = torch.ones(4)  # error: [TBR208]
    loss.backward()


def a24(net: Net, x):
    loss = net(x).sum()
    net.fresh = 3  # ok: [TBR208] nothing reads it
    setattr(net, "also", 3)  # ok: [TBR208] nothing reads it
    net.add_module("head", nn.Linear(4, 4))  # ok: [TBR208] the region does not call it
    loss.backward()


def a25(net: Net, x):
    loss = net(x).sum()
    grads = {}
    grads["a"] = loss  # ok: [TBR208] a dict of the step
    losses = [0, 1]
    losses[0] = loss  # ok: [TBR208] a list of the step
    loss.backward()
