"""Whose mode is changed between a forward and its backward, and whether it is changed back."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(self.fc(x)).sin()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = Block()

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.block, x, use_reentrant=False)


def score(net: Net, x: Tensor) -> float:
    net.eval()
    with torch.no_grad():
        found = net(x).sum().item()
    net.train()
    return found


def left_in_eval(net: Net, x: Tensor) -> float:
    net.eval()
    with torch.no_grad():
        return net(x).sum().item()


def scored(net: Net, x: Tensor) -> None:
    loss = net(x).sum()
    print(score(net, x))  # ok: [TBR208] trained again when it returns
    loss.backward()


def scored_wrongly(net: Net, x: Tensor) -> None:
    loss = net(x).sum()
    print(left_in_eval(net, x))  # error: [TBR208]
    loss.backward()


def set_back(net: Net, x: Tensor) -> None:
    loss = net(x).sum()
    net.eval()  # ok: [TBR208] set back below
    print(net.training)
    net.train()
    loss.backward()


def averaged(net: Net, ema: Net, x: Tensor) -> None:
    loss = net(x).sum()
    ema.eval()  # ok: [TBR208] another object of the class
    net.block.eval()  # error: [TBR208]
    loss.backward()


def followed(net: Net, ema: Net, x: Tensor) -> None:
    loss = net(x).sum()
    for p, q in zip(net.parameters(), ema.parameters()):
        q.data.lerp_(p.data, 0.1)  # ok: [TBR208] the average follows the net
    loss.backward()


def swapped(net: Net, ema: Net, x: Tensor) -> None:
    loss = net(x).sum()
    for q, p in zip(ema.parameters(), net.parameters()):
        p.data.copy_(q.data)  # error: [TBR208]
    loss.backward()


def swapped_at_once(net: Net, ema: Net, x: Tensor) -> None:
    loss = net(x).sum()
    [p.data.copy_(q.data) for p, q in zip(net.parameters(), ema.parameters())]  # error: [TBR208]
    loss.backward()


def shrunk(net: Net, x: Tensor) -> None:
    loss = net(x).sum()
    torch._foreach_mul_([p.data for p in net.parameters()], 0.9)  # error: [TBR208]
    loss.backward()


class Trainer:
    def __init__(self, net: Net) -> None:
        self.net = net
        self.ema = copy.deepcopy(net)
        self.alias = self.net

    def averaged(self, x: Tensor) -> None:
        loss = self.net(x).sum()
        self.ema.eval()  # ok: [TBR208] another object
        loss.backward()

    def by_alias(self, x: Tensor) -> None:
        loss = self.net(x).sum()
        self.alias.eval()  # error: [TBR208]
        loss.backward()


def scaled_anew(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight)


def initialized(net: Net, x: Tensor) -> None:
    loss = net(x).sum()
    for parameter in net.parameters():
        nn.init.zeros_(parameter)  # error: [TBR208]
    loss.backward()


def from_vector(net: Net, x: Tensor) -> None:
    loss = net(x).sum()
    nn.utils.vector_to_parameters(torch.zeros(20), net.parameters())  # error: [TBR208]
    loss.backward()


def applied(x: Tensor) -> None:
    teacher = Net()
    net = Net()
    loss = net(x).sum()
    teacher.apply(scaled_anew)  # ok: [TBR208] another object
    loss.backward()


def applied_to_it(net: Net, x: Tensor) -> None:
    loss = net(x).sum()
    net.apply(scaled_anew)  # error: [TBR208]
    loss.backward()
    net.apply(scaled_anew)  # ok: [TBR208] after it


class Layers:
    def __init__(self) -> None:
        self.student = nn.Linear(4, 4)
        self.teacher = nn.Linear(4, 4)

    def run(self, x: Tensor) -> Tensor:
        return self.student(x).sin()


class Step(Layers):
    def moves_its_own(self, x: Tensor) -> None:
        loss = checkpoint(self.run, x, use_reentrant=False).sum()
        self.student.weight.data.mul_(0.9)  # error: [TBR208]
        loss.backward()

    def moves_another(self, x: Tensor) -> None:
        loss = checkpoint(self.run, x, use_reentrant=False).sum()
        self.teacher.weight.data = self.student.weight.data  # ok: [TBR208] the region runs the student
        loss.backward()
