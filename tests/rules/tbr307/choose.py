# options: --tbr-enable=TBR307
"""Choices that a compiled function of another file makes."""

import torch
from torch import Tensor


def positive(x: Tensor) -> Tensor:
    return x[x > 0]  # note: "made here"


def zeroed(x: Tensor) -> Tensor:
    return torch.where(x > 0, x, 0.0)  # ok: [TBR307] the size of its input


def kinds(x: Tensor) -> Tensor:
    return x.unique()  # ok: [TBR307] only eager code asks for it


def rows(x: Tensor) -> Tensor:
    return torch.where(x > 0)[0]  # note: "made here"
