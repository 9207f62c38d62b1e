"""Helpers for others, each of which only sets switches: who wants one of them does not call the other."""

import torch


def fast() -> None:
    """For speed."""
    torch.backends.cudnn.benchmark = True  # ok: [TBR601] nothing calls both


def strict() -> None:
    """For tests."""
    torch.use_deterministic_algorithms(True)
