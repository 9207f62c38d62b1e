"""TBR313 where the import is bound anew to its compiled form."""

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import flex_attention

flex_attention = torch.compile(flex_attention, dynamic=False)


def rebound(q: Tensor) -> Tensor:
    return flex_attention(q, q, q)  # ok: [TBR313] the compiled one
