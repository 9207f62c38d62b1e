# options: --tbr-torch=2.6
"""TBR403 on torch 2.6: contexts of a selective policy serve one step after another; those of generators do not."""

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

kept = create_selective_checkpoint_contexts([torch.ops.aten.sin.default])
pair = sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)


def step(x: Tensor) -> None:
    y = checkpoint(torch.sin, x, use_reentrant=False, context_fn=lambda: kept)  # ok: [TBR403] no error in 2.6
    z = checkpoint(torch.sin, y, use_reentrant=False, context_fn=lambda: pair)  # error: [TBR403]
    z.sum().backward()
