"""Steps that change a model of the file beside this one."""

from __future__ import annotations

import torch

from .models import Dropping, Net, Plain, Steady, freeze, size


def mode(net: Net, x: torch.Tensor) -> None:
    loss = net(x).sum()
    net.eval()  # error: [TBR208]
    loss.backward()


def frozen(x: torch.Tensor) -> None:
    net = Net()
    loss = net(x).sum()
    freeze(net)  # error: [TBR208]
    loss.backward()


def stepped(net: Net, x: torch.Tensor) -> None:
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    loss = net(x).sum()
    optimizer.step()  # error: [TBR208]
    loss.backward()


def plain(net: Plain, x: torch.Tensor) -> None:
    loss = net(x).sum()
    net.eval()  # ok: [TBR208] this model of the other file checkpoints nothing
    loss.backward()


def measured(net: Net, x: torch.Tensor) -> int:
    loss = net(x).sum()
    total = size(net)  # ok: [TBR208] the helper of the other file only counts
    loss.backward()
    return total


def afterwards(net: Net, x: torch.Tensor) -> None:
    net(x).sum().backward()
    freeze(net)  # ok: [TBR208] after backward


def dropping(net: Dropping, x: torch.Tensor) -> None:
    loss = net(x).sum()
    net.train(False)  # error: [TBR208]
    loss.backward()


def steady(net: Steady, x: torch.Tensor) -> None:
    loss = net(x).sum()
    net.eval()  # ok: [TBR208] the region of the other file asks for no mode
    net.label = "seen"  # ok: [TBR208] nothing in the region reads it
    loss.backward()


def scaled(net: Steady, x: torch.Tensor) -> None:
    loss = net(x).sum()
    net.scale = 0.5  # error: [TBR208]
    loss.backward()
