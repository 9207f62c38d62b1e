"""Checkpoints what the file beside this one holds."""

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from . import levels
from .levels import Levels, Pair


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.levels = Levels()
        self.pair = Pair()

    def forward(self, x: Tensor) -> Tensor:
        h = self.stem(x)
        several = checkpoint(self.levels, h, use_reentrant=True)  # error: [TBR504]
        by_name = checkpoint(levels.named, self.stem, h, use_reentrant=True)  # error: [TBR504]
        first, _ = checkpoint(self.pair, h, use_reentrant=True)  # ok: [TBR504] the other file returns a tuple
        again = checkpoint(self.levels, h, use_reentrant=False)  # ok: [TBR504] this variant looks into lists
        return several[0] + by_name["hidden"] + first + again[0]
