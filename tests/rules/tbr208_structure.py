"""TBR208: layers, attributes and items that come and go between a checkpointed forward and its backward."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils import parametrize, prune, weight_norm
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.layers = nn.ModuleList([nn.Linear(4, 4)])
        self.fc = nn.Linear(4, 4)
        self.spare = nn.Linear(4, 4)
        self.gain = 1.0
        self.tail = 1.0
        self.active = True
        self.factors = [1.0, 2.0]
        self.seen = []
        self.cfg = {"gain": 1.0}

    def inner(self, x):
        self.seen.append(x.shape)  # error: [TBR205]
        for layer in self.layers:
            x = torch.sin(layer(x)) * self.factors[0]
        x = torch.tanh(self.fc(x) * self.gain * self.cfg["gain"])
        if self.active:
            x = torch.sin(x)
        return x * self.tail

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)

    def disable(self):
        self.active = False

    def enable(self):
        self.active = True

    def maybe(self, flag):
        if flag:
            self.active = False

    def grow(self):
        self.layers.append(nn.Linear(4, 4))


class Blocks(Net):
    def forward(self, x):
        return torch.sin(checkpoint(self.body, x, use_reentrant=False))


def removed(net: Net, x):
    loss = net(x).sum()
    del net.gain  # error: [TBR208]
    loss.backward()


def removed_by_name(net: Net, x):
    loss = net(x).sum()
    delattr(net, "gain")  # error: [TBR208]
    loss.backward()


def removed_elsewhere(net: Net, x, name):
    loss = net(x).sum()
    del net.spare  # ok: [TBR208] the region does not read it
    delattr(net, name)  # ok: [TBR208] which attribute it is does not stand there
    del loss.grad_fn  # ok: [TBR208] no module
    loss.backward()


def item(net: Net, x):
    loss = net(x).sum()
    del net.cfg["gain"]  # error: [TBR208]
    net.cfg.pop("gain")  # error: [TBR208]
    net.cfg.update(gain=2.0)  # error: [TBR208]
    net.cfg.update(other=2.0)  # ok: [TBR208] another item
    net.cfg.setdefault("gain", 2.0)  # ok: [TBR208] it is there
    loss.backward()


def layers(net: Net, x):
    loss = net(x).sum()
    net.layers.append(nn.Linear(4, 4))  # error: [TBR208]
    net.layers.insert(0, nn.Linear(4, 4))  # error: [TBR208]
    net.body.append(nn.Tanh())  # ok: [TBR208] the region does not run it
    net.seen.append(1)  # ok: [TBR208] the region does not ask for it
    net.factors.append(3.0)  # ok: [TBR208] the region reads the first
    net.factors.reverse()  # error: [TBR208]
    loss.backward()


def sequential(net: Blocks, x):
    loss = net(x).sum()
    net.body.insert(0, nn.Linear(4, 4))  # error: [TBR208]
    net.body.append(nn.Tanh())  # ok: [TBR208] the recompute stops before
    net.layers.append(nn.Linear(4, 4))  # ok: [TBR208] the region does not run them
    loss.backward()


def alias(net: Net, x):
    loss = net(x).sum()
    layers = net.layers
    layers.append(nn.Linear(4, 4))  # error: [TBR208]
    loss.backward()


def reparametrized(net: Net, other: Net, x):
    loss = net(x).sum()
    parametrize.register_parametrization(net.fc, "weight", nn.Softplus())  # error: [TBR208]
    prune.l1_unstructured(net.fc, "weight", amount=0.5)  # error: [TBR208]
    weight_norm(module=net.fc)  # error: [TBR208]
    for layer in net.layers:
        weight_norm(layer)  # error: [TBR208]
    weight_norm(net.spare)  # ok: [TBR208] the region does not run it
    weight_norm(other.fc)  # ok: [TBR208] another module
    prune.is_pruned(net)  # ok: [TBR208] only asks
    loss.backward()


def by_method(net: Net, other: Net, x, flag):
    loss = net(x).sum()
    net.disable()  # error: [TBR208]
    net.enable()  # ok: [TBR208] it was so
    net.maybe(flag)  # ok: [TBR208] not always
    net.grow()  # error: [TBR208]
    other.disable()  # ok: [TBR208] another module
    loss.backward()


def back(net: Net, x):
    net.disable()
    loss = net(x).sum()
    net.enable()  # error: [TBR208]
    loss.backward()


def at_the_end(net: Net, x):
    loss = net(x).sum()
    net.tail = 2.0  # ok: [TBR208] nothing is saved from there on
    net.fc.weight = nn.Parameter(torch.zeros(4, 4))  # error: [TBR208]
    loss.backward()
