# options: --tbr-torch=2.6
"""TBR303 on torch 2.6: integers of modules are not specialised on; globals and lengths are."""

import torch
from torch import Tensor, nn

COUNT = 0


class Warmup(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0
        self.seen: list[Tensor] = []

    def forward(self, x: Tensor) -> Tensor:
        self.step += 1  # ok: [TBR303] 2 graphs in 2.6, whatever the number of steps
        self.seen.append(x)  # error: [TBR303] "the length of `self.seen`"
        return x * self.step


model = torch.compile(Warmup())


@torch.compile
def counted(x: Tensor) -> Tensor:
    global COUNT
    COUNT += 1  # error: [TBR303] "the int `COUNT`"
    return x * COUNT
