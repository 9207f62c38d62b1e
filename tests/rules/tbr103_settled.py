# options: --tbr-enable=TBR101,TBR102,TBR103,TBR105,TBR201,TBR304,TBR305,TBR310,TBR311
"""TBR103: a number that was read from a tensor when its object was made decides."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Masked(nn.Module):
    def __init__(self, mask: Tensor, lengths: Tensor):
        super().__init__()
        self.full = bool((mask == 1).all())
        self.kept = int(mask.sum())
        self.lengths = lengths.tolist()
        self.name = "masked"
        self._settle(mask)

    def _settle(self, mask):
        self.symmetric = torch.equal(mask, mask.T)

    def forward(self, x: Tensor) -> Tensor:
        if self.full:  # error: [TBR103] "`self.full`, read from a tensor in a constructor, decides"
            x = x + 1
        if self.kept > 3 and self.name:  # error: [TBR103] "a trace freezes it"
            x = x * 2
        for _ in range(self.kept):  # error: [TBR103] "decides how often the loop runs"
            x = x + 2
        for length in self.lengths:
            if length > 8:  # error: [TBR103]
                x = x.abs()
        if not self.symmetric:  # error: [TBR103]
            x = x.sin()
        if self.full and x.sum() > 3:  # error: [TBR101] "`x.sum() > 3` reads a tensor's value"
            x = x.cos()
        return x * self.kept


# --- what the constructor is given ----------------------------------------------------------------
class Chain:
    def __init__(self, moving, joints: int):
        self.moving = moving
        self.joints = joints

    @classmethod
    def of(cls, kinds: Tensor) -> "Chain":
        return cls(bool((kinds == 1).any()), int(kinds.max()))

    def forward(self, x: Tensor) -> Tensor:
        if self.moving:  # error: [TBR103]
            x = x.sin()
        return advanced(x, self.moving, 2) if self.joints > 2 else x  # error: [TBR103]


def advanced(x: Tensor, moving: bool, rounds: int) -> Tensor:
    if moving:  # error: [TBR103]
        x = x.cos()
    return x * rounds


# --- in regions -----------------------------------------------------------------------------------
class Compiled(nn.Module):
    def __init__(self, mask: Tensor):
        super().__init__()
        self.full = mask.all().item()

    @torch.compile(fullgraph=True)
    def forward(self, x: Tensor) -> Tensor:
        if self.full:  # error: [TBR103] "compile guards on it"
            return x.sin()
        return x.cos() if x.sum() > 0 else x  # error: [TBR304]


class Recomputed(nn.Module):
    def __init__(self, mask: Tensor):
        super().__init__()
        self.full = mask.all().item()

    def block(self, x: Tensor) -> Tensor:
        if self.full:  # error: [TBR103]
            x = x.sin()
        return x

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.block, x, use_reentrant=False)


class Traced(nn.Module):
    def __init__(self, mask: Tensor):
        super().__init__()
        self.full = mask.all().item()

    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if self.full else x.cos()  # error: [TBR103]


traced = torch.jit.trace(Traced(torch.ones(2)), torch.ones(3))


# --- read in a step: one value after the other ----------------------------------------------------
class Watched(nn.Module):
    def __init__(self, limit: Tensor):
        super().__init__()
        self.done = False
        self.last = limit.max().item()
        self.limit = limit

    def step(self, x: Tensor) -> None:
        self.done = bool(x.sum() > self.limit)
        self.last = x.max().item()

    def forward(self, x: Tensor) -> Tensor:
        if self.done:  # error: [TBR101] "`self.done` reads a tensor's value"
            return x
        return x.sin() if self.last > 1 else x.cos()  # error: [TBR101] "`self.last > 1` reads a tensor's value"


# --- tempting, and rightly silent -----------------------------------------------------------------
class Sized(nn.Module):
    def __init__(self, limit: Tensor):
        super().__init__()
        self.sizes = tuple(limit.shape)
        self.strict = bool(limit.requires_grad)

    def forward(self, x: Tensor) -> Tensor:
        if self.strict:
            return x
        if self.sizes == (1,):
            return x.sum()
        return x.sin()


class Told(nn.Module):
    def __init__(self, mask: Tensor, verbose: bool = False):
        super().__init__()
        self.full = bool(mask.all())
        self.verbose = verbose

    def forward(self, x: Tensor) -> Tensor:
        if self.full:
            print("all of it")
        if self.verbose:
            x = x.clone()
        return x
