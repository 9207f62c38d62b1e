"""A checkpointed layer that draws through the file beside this one."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .coins import heads, kept, torch_heads


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.fc(x)
        if heads():  # error: [TBR203]
            h = h.sin()
        if torch_heads():  # ok: [TBR203] the default generator is replayed
            h = h.cos()
        return kept(h)  # error: [TBR203]


def run(layer: Layer, x: torch.Tensor) -> torch.Tensor:
    skip = heads()  # ok: [TBR203] drawn outside of the region
    return x if skip else checkpoint(layer, x, use_reentrant=False)
