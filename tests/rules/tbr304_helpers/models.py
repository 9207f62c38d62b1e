"""Modules that the helpers of the file beside this one compile, and one that they do not."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .tools import Trainer, each, eager, fast, in_place


class First(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR304]


class Second(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR304]


class Third(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR304]


class Fourth(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR304]


class Eager(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # ok: [TBR304] nobody compiles it  # error: [TBR101]


class Traced(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.where(x.sum() > 0, x.sin(), x.cos())  # ok: [TBR304] no branch


first = fast(First())
second = in_place(Second())
third = each([Third(), Traced()])
trainer = Trainer(Fourth())
plain = eager(Eager())
