"""Names that are not torch's: a `checkpoint` that writes a file, an `sdpa_kernel` that only counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch.nn import attention
from torch.utils import checkpoint as torch_checkpoint

calls = {"math": 0}


def checkpoint(function, x: torch.Tensor) -> torch.Tensor:
    out = function(x)
    torch.save(out.detach(), "out.pt")
    return out


@contextmanager
def sdpa_kernel(name: str) -> Iterator[None]:
    calls[name] += 1
    yield


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


def own_checkpoint(x: torch.Tensor) -> None:
    with attention.sdpa_kernel(attention.SDPBackend.MATH):  # ok: [TBR401] this checkpoint writes a file
        out = checkpoint(attend, x)
    out.sum().backward()


def own_scope(x: torch.Tensor) -> None:
    with sdpa_kernel("math"):  # ok: [TBR401] this scope chooses no kernel
        out = torch_checkpoint.checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()
