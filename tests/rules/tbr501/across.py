"""The inputs of the region are produced in another file."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .producers import Draft, Target, random_ids, recomputed, twice


class Distilled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.target = Target()
        self.draft = Draft()
        self.layer = nn.Linear(4, 4)
        self.head = nn.Linear(4, 16)

    def from_target(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.target.hidden(ids)
        return self.head(checkpoint(self.layer, hidden, use_reentrant=True))  # error: [TBR501]

    def from_draft(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.draft.hidden(ids)
        return self.head(checkpoint(self.layer, hidden, use_reentrant=True))  # ok: [TBR501] the draft trains

    def inner(self, ids: torch.Tensor) -> torch.Tensor:
        return self.layer(self.draft.hidden(ids))

    def from_ids(self) -> torch.Tensor:
        return self.head(checkpoint(self.inner, random_ids(), use_reentrant=True))  # error: [TBR501]

    def by_helper(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(recomputed(self.layer, self.target.hidden(ids)))  # error: [TBR501]

    def by_other_helper(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(twice(self.layer, self.draft.hidden(ids)))  # ok: [TBR501] the draft trains
