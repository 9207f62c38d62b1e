"""TBR203: a draw that picks the function or layer which runs, kept in a name first."""

import random
from itertools import cycle

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Varied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.turns = cycle(self.layers)
        self.fixed = random.choice([torch.sin, torch.cos])

    def forward(self, x: Tensor) -> Tensor:
        act = random.choice([torch.sin, torch.cos])
        x = act(x)  # error: [TBR203]
        layer = random.choice(list(self.layers))
        x = layer(x)  # error: [TBR203]
        x = random.choice([torch.sin, torch.cos])(x)  # error: [TBR203]
        x = random.choice(self.layers)(x)  # error: [TBR203]
        turn = next(self.turns)  # error: [TBR205]
        x = self.fixed(x)  # ok: [TBR203] drawn once, in the constructor
        act = torch.tanh
        return turn(act(x))  # ok: [TBR203] not drawn any more


def run(module: Varied, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)
