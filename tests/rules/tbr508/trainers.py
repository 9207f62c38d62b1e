"""The trainer makes the DDP module, and is told to search for unused parameters."""

from __future__ import annotations

import lightning as L
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Lit(L.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.layer = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = checkpoint(self.layer, self.stem(x), use_reentrant=True)  # error: [TBR508]
        return checkpoint(self.layer, h, use_reentrant=False)  # ok: [TBR508] the other variant marks once

    def training_step(self, batch: torch.Tensor, index: int) -> torch.Tensor:
        return self(batch).mean()


def main() -> None:
    L.Trainer(strategy="ddp_find_unused_parameters_true").fit(Lit())
