"""Steps whose scopes the file beside this one opens: by a context manager, by a decorator."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from .scoping import counted, slow, slowly


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


def by_manager(x: torch.Tensor) -> None:
    with slow():  # error: [TBR401] "in another kernel (CheckpointError)"
        y = checkpoint(attend, x, use_reentrant=False)
    y.sum().backward()


@slowly  # error: [TBR401] "in another kernel (CheckpointError)"
def by_decorator(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False)


@counted  # ok: [TBR401] the function is called after the scope
def beside(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False)


def train(x: torch.Tensor) -> None:
    by_decorator(x).sum().backward()
    beside(x).sum().backward()
