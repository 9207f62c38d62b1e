"""Scopes that a class enters for its user."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


class MathOnly:
    def __enter__(self) -> None:
        self.scope = sdpa_kernel(SDPBackend.MATH)
        self.scope.__enter__()

    def __exit__(self, *error: Any) -> None:
        self.scope.__exit__(*error)


class Stacked:
    def __init__(self) -> None:
        self.stack = ExitStack()

    def __enter__(self) -> None:
        self.stack.enter_context(sdpa_kernel([SDPBackend.MATH]))

    def __exit__(self, *error: Any) -> None:
        self.stack.close()


class Mixed:
    def __enter__(self) -> None:
        self.scope = torch.autocast("cpu")
        self.scope.__enter__()

    def __exit__(self, *error: Any) -> None:
        self.scope.__exit__(*error)


def held(x: torch.Tensor) -> None:
    with MathOnly():  # error: [TBR401]
        out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


def stacked(x: torch.Tensor) -> None:
    with Stacked():  # error: [TBR401]
        out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


def held_long_enough(x: torch.Tensor) -> None:
    with MathOnly():  # ok: [TBR401] backward runs inside
        checkpoint(attend, x, use_reentrant=False).sum().backward()


def restored(x: torch.Tensor) -> None:
    with Mixed():  # ok: [TBR401] checkpoint restores autocast
        out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()
