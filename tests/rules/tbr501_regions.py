"""TBR501: regions without anything to train, and modules that may be frozen by whoever is handed them."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def block(self, x):
        return torch.relu(self.fc(x))

    def pure(self, x):
        return torch.relu(x) * 2


class Other(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def block(self, x):
        return torch.relu(self.fc(x))


def trained(net: Net) -> None:
    x = torch.randn(2, 4)
    checkpoint(net.block, x, use_reentrant=True).sum().backward()  # error: [TBR501]


def nothing_to_train(net: Net) -> torch.Tensor:
    x = torch.randn(2, 4)
    return checkpoint(net.pure, x, use_reentrant=True)  # ok: [TBR501] the method reads no parameter


def frozen(other: Other) -> torch.Tensor:
    other.requires_grad_(False)
    x = torch.randn(2, 4)
    return checkpoint(other.block, x, use_reentrant=True)  # ok: [TBR501] frozen two lines above


def perhaps(other: Other) -> torch.Tensor:
    x = torch.randn(2, 4)
    return checkpoint(other.block, x, use_reentrant=True)  # ok: [TBR501] it may be the module that was frozen above
