"""Modules whose checkpointed regions read no tensor that a module keeps: what functional_call gave matters not."""

from __future__ import annotations

import torch
from torch import nn
from torch.func import functional_call
from torch.utils.checkpoint import checkpoint


class Outside(nn.Module):
    """The parameters are read outside of the region."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return checkpoint(torch.sin, self.linear(x), use_reentrant=False)


class Handed(nn.Module):
    """The checkpoint keeps the tensors that it is handed."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return checkpoint(torch.mul, x, self.weight, use_reentrant=False)


class Inside(nn.Module):
    """The first region reads none, the second one does."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        x = checkpoint(torch.sin, x, use_reentrant=False)
        return checkpoint(lambda h: h * self.weight, x, use_reentrant=False)


def step(outside: Outside, handed: Handed, inside: Inside, params: dict[str, torch.Tensor], x: torch.Tensor) -> None:
    a = functional_call(outside, params, (x,))  # ok: [TBR407] the region reads no parameter
    b = functional_call(handed, params, (x,))  # ok: [TBR407] the region gets the parameter as an argument
    c = functional_call(inside, params, (x,))  # error: [TBR407]
    (a + b + c).sum().backward()


def own(inside: Inside, other: Inside, x: torch.Tensor) -> None:
    params = dict(inside.named_parameters())
    a = functional_call(inside, params, (x,))  # ok: [TBR407] its own parameters, which the recompute reads
    b = functional_call(inside, dict(inside.named_parameters()), (x,))  # ok: [TBR407] the same
    c = functional_call(inside, dict(other.named_parameters()), (x,))  # error: [TBR407]
    (a + b + c).sum().backward()


def around(inside: Inside, params: dict[str, torch.Tensor], x: torch.Tensor) -> None:
    """The inner region is recomputed after the call that the outer one repeats has ended."""
    y = checkpoint(lambda h: functional_call(inside, params, (h,)), x, use_reentrant=False)  # error: [TBR407]
    y.sum().backward()
