"""Exports modules that need the file beside this one."""

import torch
from torch import Tensor, nn

from .helpers import Calm, Eager, Whole, capped, is_matrix, overflowed


class Model(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if overflowed(x):  # error: [TBR310]
            x = x.clamp(-1000, 1000)
        if is_matrix(x):  # ok: [TBR310] the other file compares ranks
            x = x.unsqueeze(0)
        return capped(x)  # error: [TBR310]


program = torch.export.export(Model(), (torch.rand(4),))
whole = torch.export.export(Whole(), (torch.rand(4),))  # error: [TBR310]
calm = torch.export.export(Calm(), (torch.rand(4),))  # ok: [TBR310] the other file's module has no Python branch
eager = Eager()(torch.rand(4))  # ok: [TBR310] run, not exported
