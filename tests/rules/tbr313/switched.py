"""TBR313 behind a switch that leaves the compile call out by default."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import flex_attention


@dataclass
class Options:
    compile: bool = False
    demanded: bool = False


class Attention(nn.Module):
    def forward(self, q: Tensor) -> Tensor:
        return flex_attention(q, q, q)  # error: [TBR313] "is False by default"


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention()

    def forward(self, q: Tensor) -> Tensor:
        return q + self.attention(q)


def build(options: Options) -> nn.Module:
    model = Model()
    if options.compile:
        model = torch.compile(model)
    return model


class Demanding(nn.Module):
    def forward(self, q: Tensor) -> Tensor:
        return flex_attention(q, q, q)  # ok: [TBR313] the switch is demanded


def demanding(options: Options) -> nn.Module:
    if not options.demanded:
        raise ValueError("flex attention needs the compiler")
    module = Demanding()
    if options.demanded:
        module = torch.compile(module)
    return module
