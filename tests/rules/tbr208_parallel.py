"""TBR208: a module that DataParallel or DDP runs is the module it was given."""

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.body, x, use_reentrant=False)


def replicated(x: Tensor, y: Tensor) -> None:
    net = nn.DataParallel(Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    one, two = net(x).sum(), net(y).sum()
    one.backward()
    optimizer.step()  # error: [TBR208]
    two.backward()


def between_ranks(model: Net, x: Tensor, y: Tensor) -> None:
    net = DistributedDataParallel(module=model)
    optimizer = torch.optim.SGD(net.module.parameters(), lr=0.1)
    one, two = net(x).sum(), net(y).sum()
    one.backward()
    optimizer.step()  # error: [TBR208]
    two.backward()


def inside(x: Tensor) -> None:
    net = nn.parallel.DataParallel(Net())
    loss = net(x).sum()
    net.module.eval()  # error: [TBR208]
    loss.backward()


def in_order(x: Tensor, y: Tensor) -> None:
    net = nn.DataParallel(Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in (x, y):
        net(batch).sum().backward()
        optimizer.step()  # ok: [TBR208] after the backward


def other_module(other: nn.Linear, x: Tensor) -> None:
    net = nn.DataParallel(Net())
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
    loss = net(x).sum()
    optimizer.step()  # ok: [TBR208] of another module
    loss.backward()
