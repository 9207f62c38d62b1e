"""Incident 1: a cap that branches on its own scale, in every place where such a module sits."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

CAP_PATH_ENABLED = False


def scale_of(update: torch.Tensor, stream: torch.Tensor, cap: float) -> torch.Tensor:
    with torch.no_grad():
        ratio = update.norm() / stream.norm()
        return torch.clamp(cap / ratio, max=1.0)


class EagerCap(nn.Module):
    """Never checkpointed in sight."""

    def __init__(self, cap: float = 0.2) -> None:
        super().__init__()
        self.cap = cap

    def forward(self, update: torch.Tensor, stream: torch.Tensor) -> torch.Tensor:
        scale = scale_of(update, stream, self.cap)
        if (scale < 1.0).any():  # error: [TBR101] "decides"
            update = update * scale
        return update


class DirectCap(nn.Module):
    """Handed to the checkpoint itself."""

    def __init__(self, cap: float = 0.2) -> None:
        super().__init__()
        self.cap = cap
        self.proj = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        update = self.proj(x)
        scale = scale_of(update, x, self.cap)
        if (scale < 1.0).any():  # error: [TBR201] "CheckpointError"
            update = update * scale
        return x + update


def run_direct(block: DirectCap, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False)


class InnerCap(nn.Module):
    """Reached through its parent."""

    def __init__(self, cap: float = 0.2) -> None:
        super().__init__()
        self.cap = cap

    def forward(self, update: torch.Tensor, stream: torch.Tensor) -> torch.Tensor:
        scale = scale_of(update, stream, self.cap)
        if (scale < 1.0).any():  # error: [TBR201]
            update = update * scale
        return update


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.proj = nn.Linear(8, 8)
        self.norm_cap = InnerCap()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.norm_cap(self.proj(x), x)


class Model(nn.Module):
    def __init__(self, depth: int = 3) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(depth))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


class ReentrantCap(nn.Module):
    """Under a reentrant checkpoint, where the flip says nothing."""

    def __init__(self, cap: float = 0.2) -> None:
        super().__init__()
        self.cap = cap
        self.proj = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        update = self.proj(x)
        scale = scale_of(update, x, self.cap)
        if (scale < 1.0).any():  # error: [TBR201] "gradients"
            update = update * scale
        return x + update


def run_reentrant(block: ReentrantCap, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=True)


class SwitchedOff(nn.Module):
    """A flag keeps the path unused today."""

    def __init__(self, cap: float = 0.2) -> None:
        super().__init__()
        self.cap = cap
        self.cap_enabled = False

    def forward(self, update: torch.Tensor, stream: torch.Tensor) -> torch.Tensor:
        if self.cap_enabled:
            scale = scale_of(update, stream, self.cap)
            if (scale < 1.0).any():  # error: [TBR101]
                update = update * scale
        if CAP_PATH_ENABLED:
            scale = scale_of(update, stream, 2 * self.cap)
            if (scale < 1.0).any():  # error: [TBR101]
                update = update * scale
        return update


class FixedCap(nn.Module):
    """The repair: always multiply; the comparison is telemetry."""

    def __init__(self, cap: float = 0.2) -> None:
        super().__init__()
        self.cap = cap
        self.cap_fired = False
        self.proj = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        update = self.proj(x)
        scale = scale_of(update, x, self.cap)
        self.cap_fired = bool((scale < 1.0).any().item())  # ok: [TBR201] stored, decides nothing
        return x + update * scale


def run_fixed(block: FixedCap, x: torch.Tensor) -> torch.Tensor:
    out = checkpoint(block, x, use_reentrant=False)  # ok: [TBR201] nothing in the region branches on a value
    print("cap fired:", block.cap_fired)
    return out
