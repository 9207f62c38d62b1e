"""TBR501: a class of which one object is frozen and another one trains."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn
from torch import no_grad as quiet
from torch.utils.checkpoint import checkpoint


@contextmanager
def quietly() -> Iterator[None]:
    with torch.no_grad():
        yield


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


class Student(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)

    def imported(self, x: torch.Tensor) -> torch.Tensor:
        with quiet():
            target = checkpoint(self.body, x.detach(), use_reentrant=True)  # ok: [TBR501] nobody asks for a gradient
        return self.body(x) - target

    def own(self, x: torch.Tensor) -> torch.Tensor:
        with quietly():
            target = checkpoint(self.body, x.detach(), use_reentrant=True)  # ok: [TBR501] as above
        return self.body(x) - target

    def by_statement(self, x: torch.Tensor) -> torch.Tensor:
        torch.set_grad_enabled(False)
        target = checkpoint(self.body, x.detach(), use_reentrant=True)  # ok: [TBR501] as above
        torch.set_grad_enabled(True)
        return self.body(x) - target

    def prepared(self, x: torch.Tensor) -> torch.Tensor:
        with quiet():
            x = x * 2
        return checkpoint(self.body, x, use_reentrant=True)  # error: [TBR501]
