"""Incident 4: a compiled attention that asks for sizes, and one that does not."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


@torch.compile
def by_size(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    if query.shape[-1] > 128:  # error: [TBR301]
        query = query * 0.5
    return F.scaled_dot_product_attention(query, key, value)


@torch.compile(dynamic=False)
def by_static_size(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    if query.shape[-1] == 128:  # error: [TBR301]
        query = query * 0.5
    return F.scaled_dot_product_attention(query, key, value)


@torch.compile
def by_loop(query: torch.Tensor) -> torch.Tensor:
    total = query.new_zeros(())
    for index in range(query.shape[-1]):  # error: [TBR302]
        total = total + query[..., index].sum()
    return total


class PerInstance(nn.Module):
    """The number that differs between instances is what costs a graph per value."""

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self.head_dim = head_dim

    def forward(self, query: torch.Tensor) -> torch.Tensor:
        if self.head_dim > 128:  # error: [TBR303]
            query = query * 0.5
        return query


compiled_instances = [torch.compile(PerInstance(size)) for size in (64, 128, 256)]


class DecidedOnce(nn.Module):
    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self._use_flash = head_dim > 128  # ok: [TBR301] outside of the compiled region, once

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        if self._use_flash:  # ok: [TBR301] the same in every call
            query = query * 0.5
        return F.scaled_dot_product_attention(query, key, value)


decided_once = torch.compile(DecidedOnce(256))


@torch.compile
def size_as_number(query: torch.Tensor) -> torch.Tensor:
    return query * query.shape[-1] ** -0.5  # ok: [TBR301] arithmetic on a size stays symbolic
