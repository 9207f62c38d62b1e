"""Checkpoints what the file beside this one holds."""

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .energy import Force, Plain, watched


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.force = Force()
        self.plain = Plain()

    def around(self, h: Tensor) -> Tensor:
        return watched(self.plain(h))

    def forward(self, x: Tensor) -> Tensor:
        h = self.stem(x)
        a = checkpoint(self.force, h, use_reentrant=True)  # error: [TBR510]
        b = checkpoint(self.around, h, use_reentrant=True)  # error: [TBR510]
        c = checkpoint(self.plain, h, use_reentrant=True)  # ok: [TBR510] the other file's module asks for nothing
        d = checkpoint(self.force, h, use_reentrant=False)  # ok: [TBR510] this forward records a graph
        return a + b + watched(c) + d
