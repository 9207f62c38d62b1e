"""The variant is chosen in another file."""

from __future__ import annotations

import torch

from .helpers import Region, either_way, reentrant


def masked(block: Region, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return reentrant(block, x, mask=mask)  # error: [TBR502]


def masked_rightly(block: Region, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    x = either_way(block, x, mask=mask)  # ok: [TBR502] the partial of the other file says False
    return reentrant(block, x, mask)  # ok: [TBR502] given by position
