"""Readings that a compiled function of another file branches on."""

import torch


def diverged(x: torch.Tensor) -> bool:
    return not bool(torch.isfinite(x).all())


def configured(name: str) -> bool:
    return name.startswith("fast")


def capped(x: torch.Tensor) -> torch.Tensor:
    if x.max() > 1:  # error: [TBR101]  # note: "decided here"
        x = x / x.max()
    return x
