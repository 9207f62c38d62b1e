# options: --tbr-enable=TBR211
"""TBR211: running statistics that move twice per step."""

import torch
from torch import Tensor, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Normed(nn.Module):
    def __init__(self, tracked: bool = True) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 2, 3, padding=1)
        self.norm = nn.BatchNorm2d(2)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.norm(self.conv(x)))


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(2, 2, 1), nn.GroupNorm(1, 2))
        self.b = nn.BatchNorm2d(2, track_running_stats=False)
        self.c = nn.InstanceNorm2d(2)

    def forward(self, x: Tensor) -> Tensor:
        return self.c(self.b(self.a(x)))


class Trunk(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(Normed(), nn.ReLU()) for _ in range(2))
        self.instance = nn.InstanceNorm2d(2, track_running_stats=True)
        self.plain = Plain()
        self.last = Normed()

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)  # error: [TBR211] "self.norm"
        x = checkpoint(self.instance, x, use_reentrant=True)  # error: [TBR211]
        x = checkpoint(self.instance, x, use_reentrant=False)  # ok: [TBR211] its recompute stops before they move
        x = checkpoint(lambda h: self.instance(h).sin(), x, use_reentrant=False)  # error: [TBR211]
        x = checkpoint(self.plain, x, use_reentrant=False)  # ok: [TBR211] no running statistics
        x = checkpoint(lambda h: torch.relu(h).sin(), x, use_reentrant=False)  # ok: [TBR211] nothing is normalized
        return self.last(x)


def chained(x: Tensor) -> Tensor:
    net = nn.Sequential(nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2), nn.ReLU())
    x = checkpoint_sequential(net, 1, x, use_reentrant=False)  # ok: [TBR211] one segment: nothing is checkpointed
    x = checkpoint_sequential(net, 2, x, use_reentrant=False)  # ok: [TBR211] nor is the last of two
    return checkpoint_sequential(net, 3, x, use_reentrant=False)  # error: [TBR211]


def frozen(trunk: Trunk, x: Tensor) -> Tensor:
    trunk.last.eval()
    x = checkpoint(trunk.last, x, use_reentrant=False)  # ok: [TBR211] evaluation reads the statistics
    trunk.last.train()
    return checkpoint(trunk.last, x, use_reentrant=False)  # error: [TBR211]


def wrapped(trunk: Trunk) -> nn.Module:
    return checkpoint_wrapper(trunk.last)  # error: [TBR211]


@torch.no_grad()
def evaluated(trunk: Trunk, x: Tensor) -> Tensor:
    return checkpoint(trunk.last, x, use_reentrant=False)  # ok: [TBR211] nothing is recomputed
