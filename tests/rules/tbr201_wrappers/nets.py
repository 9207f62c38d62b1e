"""Modules whose regions begin in the file of the tools."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from .blocks import Capped, Clamped
from .tools import Saving, Staged, recomputed


class Own(Staged):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def stage(self, x: Tensor) -> Tensor:
        h = self.fc(x)
        if h.amax() > 1:  # error: [TBR201]
            h = h / h.amax()
        return h.sin()

    def head(self, x: Tensor) -> Tensor:
        return x / x.norm() if x.norm() > 1 else x  # ok: [TBR201] the base checkpoints another method  # error: [TBR101]


class Plain(Staged):
    def stage(self, x: Tensor) -> Tensor:
        h = x.sin()
        if h.amax() > 1:  # ok: [TBR201] its forward checkpoints nothing  # error: [TBR101]
            h = h / h.amax()
        return h

    def forward(self, x: Tensor) -> Tensor:
        return self.stage(x)


class Mixed(nn.Module, Saving):
    def __init__(self) -> None:
        super().__init__()
        self.first = Capped()
        self.second = Clamped()

    def forward(self, x: Tensor) -> Tensor:
        x = self.saved(self.first, x)  # error: [TBR201]
        return self.saved(self.second, x)  # ok: [TBR201] no branch in it


class Made(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.capped = Capped()
        self.clamped = Clamped()
        self.wrapped = checkpoint_wrapper(Capped())  # error: [TBR201]
        self.chain = nn.Sequential(Capped(), Capped())

    def forward(self, x: Tensor) -> Tensor:
        def custom(module: nn.Module) -> Any:
            def run(*inputs: Any) -> Any:
                return module(*inputs)  # error: [TBR201]

            return run

        x = checkpoint(custom(self.capped), x, use_reentrant=False)
        x = checkpoint_sequential(self.chain, 2, x, use_reentrant=False)  # error: [TBR201]
        x = recomputed(self.clamped, x)  # ok: [TBR201] no branch in it
        return recomputed(self.capped, self.wrapped(x))  # error: [TBR201]
