"""TBR313 where the file compiles something that is not in view."""

import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import flex_attention


class Layer(nn.Module):
    def forward(self, q: Tensor) -> Tensor:
        return flex_attention(q, q, q)  # ok: [TBR313] `compile_all` may be given it


def compile_all(module):
    return torch.compile(module)
