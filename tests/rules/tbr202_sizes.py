"""TBR202: sizes of state that a checkpointed region changes."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Windowed(nn.Module):
    """The state keeps one size, whatever it holds; one that grows does not."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.last = torch.zeros(1, 2, 4)
        self.grown = torch.zeros(1, 2, 4)

    def forward(self, x):
        x = torch.cat([self.last, x], 1)
        self.last = x[:, -2:].clone()  # error: [TBR205]
        i = 0
        while i + 2 < x.size(1):  # ok: [TBR202] as many rounds each time
            x = self.fc(x)
            i += 1
        self.grown = torch.cat([self.grown, x], 1)  # error: [TBR205]
        while i < self.grown.size(1):  # error: [TBR202]
            x = self.fc(x)
            i += 1
        return x


def windowed(model: Windowed, x):
    return checkpoint(model, x, use_reentrant=False)
