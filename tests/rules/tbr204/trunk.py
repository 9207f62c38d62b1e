"""The checkpoint calls; what they run is in the file beside this one."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .layers import PRESERVE, Dropping, Plain, dropped, noisy


class Trunk(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dropping = Dropping()
        self.plain = Plain()
        self.fc = nn.Linear(4, 4)

    def jittered(self, x: torch.Tensor) -> torch.Tensor:
        return noisy(self.fc(x)).sin()

    def thinned(self, x: torch.Tensor) -> torch.Tensor:
        return dropped(self.fc(x), 0.1, self.training)

    def kept(self, x: torch.Tensor) -> torch.Tensor:
        return dropped(self.fc(x), 0.1, False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = checkpoint(self.dropping, x, use_reentrant=False, preserve_rng_state=False)  # error: [TBR204]
        x = checkpoint(self.jittered, x, use_reentrant=False, preserve_rng_state=False)  # error: [TBR204]
        x = checkpoint(self.thinned, x, use_reentrant=False, preserve_rng_state=PRESERVE)  # error: [TBR204]
        x = checkpoint(self.kept, x, use_reentrant=False, preserve_rng_state=False)  # ok: [TBR204] it is handed False: never in training
        x = checkpoint(self.plain, x, use_reentrant=False, preserve_rng_state=False)  # ok: [TBR204] nothing draws
        return checkpoint(self.dropping, x, use_reentrant=False)  # ok: [TBR204] restored by default
