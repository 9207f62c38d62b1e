"""Compiles modules on base classes of the file beside this one."""

import torch
from torch import Tensor

from .layers import Counter, Fixed, Scheduled, Stepped


class Counting(Counter):
    def forward(self, x: Tensor) -> Tensor:
        self.step += 1  # error: [TBR303]
        return x * self.step * self.scale


class Timed(Scheduled):
    def forward(self, x: Tensor) -> Tensor:
        return x * self.timestep  # error: [TBR303]


class Steady(Counter):
    def forward(self, x: Tensor) -> Tensor:
        return x * self.scale  # ok: [TBR303] set once, in the other file


class Eager(Counter):
    def forward(self, x: Tensor) -> Tensor:
        self.step += 1  # ok: [TBR303] nobody compiles it
        return x * self.step


counting = torch.compile(Counting())
steady = torch.compile(Steady())
stepped = torch.compile(Stepped())  # error: [TBR303]
fixed = torch.compile(Fixed())  # ok: [TBR303] it only reads the step


def run(x: Tensor) -> Tensor:
    timed = Timed()
    compiled = torch.compile(timed)
    for step in range(50):
        timed.set_timestep(step)
        x = compiled(x)
    return Eager()(steady(counting(x)))
