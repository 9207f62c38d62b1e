# options: --tbr-torch=2.6
"""TBR314 on torch 2.6, whose strict export runs checkpoints."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Plain(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(torch.sin, x, use_reentrant=False)  # ok: [TBR314] no error in 2.6


exported = torch.export.export(Plain(), (torch.ones(2),), strict=True)
