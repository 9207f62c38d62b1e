"""Where the hidden states of `across.py` come from."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Target(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 4)

    @torch.no_grad()
    def hidden(self, ids: torch.Tensor) -> torch.Tensor:
        return self.embed(ids)


class Draft(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 4)

    def hidden(self, ids: torch.Tensor) -> torch.Tensor:
        return self.embed(ids)


def random_ids() -> torch.Tensor:
    return torch.randint(16, (2, 3))


def recomputed(function: Any, *args: Any) -> Any:
    return checkpoint(function, *args, use_reentrant=True)  # ok: [TBR501] told where the arguments are given


def twice(function: Any, *args: Any) -> Any:
    return checkpoint(function, *args, use_reentrant=True)
