"""TBR501: a class of which one object is frozen and another one trains."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, x.detach(), use_reentrant=True)  # error: [TBR501]


class Judge(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, x.detach(), use_reentrant=True)  # ok: [TBR501] every judge is frozen


def set_trainable(module: nn.Module, on: bool) -> None:
    for parameter in module.parameters():
        parameter.requires_grad_(on)


class Distillation(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.student, self.teacher = Tower(), Tower()
        self.judge = Judge()
        set_trainable(self.teacher, False)
        set_trainable(self.judge, False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.judge(self.student(x) - self.teacher(x))
