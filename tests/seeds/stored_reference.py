"""Incident 5: a result compared with a vector from another day's kernels."""

from __future__ import annotations

import torch
from torch import nn


def check_against_file(model: nn.Module, x: torch.Tensor) -> None:
    torch.use_deterministic_algorithms(True)
    fresh = torch.compile(model, mode="max-autotune")(x)
    reference = torch.load("reference.pt")
    if not torch.equal(fresh, reference):  # error: [TBR604]
        raise RuntimeError("the result has changed")


def check_against_same_run(model: nn.Module, x: torch.Tensor) -> None:
    torch.use_deterministic_algorithms(True)
    compiled = torch.compile(model, mode="max-autotune")
    first, second = compiled(x), compiled(x)
    if not torch.equal(first, second):  # ok: [TBR604] both sides come from this run's kernels
        raise RuntimeError("not repeatable")
