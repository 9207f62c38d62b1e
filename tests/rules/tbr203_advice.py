"""TBR203: a draw that takes nothing from tensors can be made outside; one that does can be torch's own, which is replayed."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.rng = np.random.default_rng(0)

    def decided(self, x: torch.Tensor, g: torch.Generator):
        h = self.fc(x)
        if random.random() < h.mean().item():  # error: [TBR203] "; draw it outside"
            h = h * 2
        if self.rng.random() < 0.4:  # error: [TBR203] "; draw it outside"
            h = h.cos()
        if torch.bernoulli(h.mean(), generator=g) > 0:  # error: [TBR203] "; use torch's default generator"
            h = h.tanh()
        return h

    def dropped(self, x: torch.Tensor, g: torch.Generator):
        h = self.fc(x)
        keep = torch.bernoulli(h.sigmoid(), generator=g)
        return h * keep  # error: [TBR203] "; use torch's default generator"

    def picked(self, x: torch.Tensor):
        h = self.fc(x)
        return h[self.rng.choice(4, p=h.softmax(-1).tolist())]  # error: [TBR203] "; use torch's default generator"

    def scaled(self, x: torch.Tensor, g: torch.Generator):
        return self.fc(x) * torch.rand(4, generator=g)  # error: [TBR203] "; draw it outside"

    def unrestored(self, x: torch.Tensor, g: torch.Generator):
        h = self.fc(x)
        return h * torch.bernoulli(h.sigmoid(), generator=g)  # error: [TBR203] "; draw it outside"


def run(net: Net, x: torch.Tensor, g: torch.Generator) -> torch.Tensor:
    x = checkpoint(net.decided, x, g, use_reentrant=False)
    x = checkpoint(net.dropped, x, g, use_reentrant=False)
    x = checkpoint(net.picked, x, use_reentrant=False)
    x = checkpoint(net.scaled, x, g, use_reentrant=False)
    return checkpoint(net.unrestored, x, g, use_reentrant=False, preserve_rng_state=False)
