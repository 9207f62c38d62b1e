"""TBR501: objects of which some are frozen: a region is reported if, and only if, its parameters lose gradients."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad:UserWarning"),
]

TRAINED = (
    HEAD
    + """
import copy


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.table = nn.Embedding(8, 4).requires_grad_(False)

    def forward(self, x: Tensor):
        h = self.table(x.detach().long().abs() % 8).mean(1)
        return checkpoint(self.body, h, use_reentrant=True) + x


def freeze(module):
    for p in module.parameters():
        p.requires_grad_(False)


BLOCK, TEACHER = Block(), Block()
freeze(TEACHER)


def block(x: Tensor) -> Tensor:
    return BLOCK(x)


def both(x: Tensor) -> Tensor:
    return BLOCK2(x) + BLOCK2B(x)


class Block2(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


BLOCK2 = Block2()
BLOCK2B = Block2()
BLOCK2B.requires_grad_(False)


def only(x: Tensor) -> Tensor:
    return BLOCK3(x)


class Block3(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


BLOCK3 = Block3()
BLOCK3.requires_grad_(False)


def only_helper(x: Tensor) -> Tensor:
    return BLOCK4(x)


class Block4(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


BLOCK4 = Block4()
freeze(BLOCK4)


def chained(x: Tensor) -> Tensor:
    return BLOCK5(x)


class Block5(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


BLOCK5 = Block5().eval().requires_grad_(False)


def part(x: Tensor) -> Tensor:
    return BLOCK6(x)


class Block6(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


class Net6(nn.Module):
    def __init__(self):
        super().__init__()
        self.student = Block6()
        self.teacher = Block6()
        freeze(self.teacher)

    def forward(self, x: Tensor):
        return self.student(x) + self.teacher(x)


BLOCK6 = Net6()


def deep(x: Tensor) -> Tensor:
    return BLOCK7(x)


class Block7(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


class Net7(nn.Module):
    def __init__(self):
        super().__init__()
        self.teacher = Block7()
        self.teacher.requires_grad_(False)

    def forward(self, x: Tensor):
        return self.teacher(x)


BLOCK7 = Net7()


def copied(x: Tensor) -> Tensor:
    return BLOCK8(x) + FROZEN8(x)


class Block8(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


BLOCK8 = Block8()
FROZEN8 = copy.deepcopy(BLOCK8).requires_grad_(False)


def listed(x: Tensor) -> Tensor:
    return BLOCK9(x)


class Block9(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


BLOCK9 = Block9()
for q in BLOCK9.parameters():
    q.requires_grad = False


def toggled(x: Tensor) -> Tensor:
    return BLOCK10(x)


class Block10(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


BLOCK10 = Block10()
BLOCK10.requires_grad_(False)
BLOCK10.requires_grad_(True)


def by_flag(x: Tensor) -> Tensor:
    return BLOCK11(x)


def set_trainable(module, on):
    for p in module.parameters():
        p.requires_grad_(on)


class Block11(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.body, x.detach(), use_reentrant=True) + x


BLOCK11 = Block11()
set_trainable(BLOCK11, False)
OTHER = nn.Linear(4, 4)
freeze(OTHER)


def frozen_layer(x: Tensor) -> Tensor:
    return checkpoint(OTHER, x.detach(), use_reentrant=True) + x


def trained_layer(x: Tensor) -> Tensor:
    return checkpoint(A, x.detach(), use_reentrant=True) + x


def decomposed(self: Tensor) -> Tensor:
    return checkpoint(A, self, use_reentrant=True)


def by_another_name(x: Tensor) -> Tensor:
    return decomposed(x)


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def run(self, h):
        return h.body(torch.ones(3, 4))

    def forward(this, x: Tensor):
        return checkpoint(this.run, this, use_reentrant=True) + x


WHOLE = Whole()


def named_otherwise(x: Tensor) -> Tensor:
    return WHOLE(x)


def local_frozen(x: Tensor) -> Tensor:
    layer = nn.Linear(4, 4)
    freeze(layer)
    return checkpoint(layer, x.detach(), use_reentrant=True) + x
"""
)


def test_frozen_objects() -> None:
    agree(TRAINED, "TBR501")
