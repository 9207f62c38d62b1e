"""Traces functions that need the file beside this one."""

import torch
from torch import Tensor

from .helpers import Calm, Whole, capped, is_long, is_matrix


def shortened(x: Tensor) -> Tensor:
    if is_long(x):  # error: [TBR311]
        x = x[:2]
    if is_matrix(x):  # ok: [TBR311] the other file compares ranks
        x = x.unsqueeze(0)
    return capped(x)  # error: [TBR311]


traced = torch.jit.trace(shortened, torch.rand(3))
whole = torch.jit.trace(Whole(), torch.rand(3))  # error: [TBR311]
calm = torch.jit.trace(Calm(), torch.rand(3))  # ok: [TBR311] the other file's module has no Python branch
untraced = capped(torch.rand(3))  # ok: [TBR311] called, not traced
