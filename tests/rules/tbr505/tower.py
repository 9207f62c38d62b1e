"""Checkpoints that close over what the file beside this one computes."""

import functools

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .parts import Block, bound, embedded, frozen


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.condition = nn.Linear(4, 4)
        self.blocks = nn.ModuleList(Block() for _ in range(2))

    def shared(self, x: Tensor, style: Tensor) -> Tensor:
        condition = embedded(self.condition, style)
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(functools.partial(block, condition=condition), x, use_reentrant=True)  # error: [TBR505]
        return x

    def by_closure(self, x: Tensor, style: Tensor) -> Tensor:
        condition = self.condition(style)
        x = self.stem(x)
        for block in self.blocks:
            # error: [TBR505]
            x = checkpoint(bound(block, condition), x, use_reentrant=True)
        return x

    def cut(self, x: Tensor, style: Tensor) -> Tensor:
        condition = frozen(self.condition, style)
        x = self.stem(x)
        for block in self.blocks:
            # ok: [TBR505] the other file detaches it
            x = checkpoint(functools.partial(block, condition=condition), x, use_reentrant=True)
        return x

    def handed(self, x: Tensor, style: Tensor) -> Tensor:
        condition = embedded(self.condition, style)
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(block, x, condition, use_reentrant=True)  # ok: [TBR505] a direct argument
        return x
