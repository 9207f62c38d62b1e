"""Helpers that ask whether code is being traced, and helpers that read a value only where it is not."""

from __future__ import annotations

import torch
from torch import Tensor


def in_compiler() -> bool:
    return torch.compiler.is_compiling()


def in_graph(x: Tensor | None = None) -> bool:
    found = torch.jit.is_tracing() or in_compiler()
    if x is not None:
        found |= isinstance(x, torch.fx.Proxy)
    return found


def can_read() -> bool:
    if torch.jit.is_scripting():
        return False
    return True


def nobody_masked(mask: Tensor | None) -> Tensor | bool:
    if in_graph(mask):
        return False
    return mask is None or mask.all()


def may_skip(mask: Tensor | None, length: int) -> bool:
    return not in_graph(mask) and (mask is None or mask.all()) and length > 1  # ok: [TBR101] it asks first


def half_guarded(mask: Tensor) -> Tensor | bool:
    if mask.max() > 1:  # error: [TBR101]
        return False
    if in_graph(mask):
        return False
    return mask.all()


def unguarded(mask: Tensor) -> Tensor:
    return mask.all()
