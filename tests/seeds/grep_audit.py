"""Incident 1, the audit: what a grep for seven method names behind an `if` misses, and what it hits for nothing."""

from __future__ import annotations

import torch
from torch import nn


class Missed(nn.Module):
    """Value branches that name none of the seven methods behind the `if`."""

    def comparison(self, t: torch.Tensor) -> torch.Tensor:
        if t.norm() > 0:  # error: [TBR101] "decides"
            t = t / t.norm()
        return t

    def conversion(self, t: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        t = t.amax() > 4.0
        if bool(t):  # error: [TBR101] "decides"
            x = x * 0.5
        return x

    def function(self, t: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        if torch.any(t < 0):  # error: [TBR101] "decides"
            x = x - t
        return x

    def next_line(self, x: torch.Tensor) -> torch.Tensor:
        peak = x.abs().max().item()
        if peak > 4.0:  # error: [TBR101] "decides"
            x = x * (4.0 / peak)
        return x


class Trap(nn.Module):
    """Lines that the grep hits and that no tensor decides."""

    def __init__(self, cap: float = 0.2) -> None:
        super().__init__()
        self.cap = cap
        self.drop = nn.Dropout(0.1)

    def comment(self, x: torch.Tensor) -> torch.Tensor:
        # if (x > self.cap).any(): x = x.clamp(max=self.cap)
        return x.clamp(max=self.cap)  # ok: [TBR101] if x.max().item() > cap stands in a comment

    def string(self, x: torch.Tensor) -> torch.Tensor:
        """Use instead of `if x.isnan().any(): x = torch.zeros_like(x)`."""
        print("if x.isnan().any(): refuse")  # ok: [TBR101] in a string
        return x.nan_to_num()

    def python_state(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:  # ok: [TBR101] a mode
            x = self.drop(x)
        if self.cap > 0:  # ok: [TBR101] a number given to __init__
            x = x.clamp(max=self.cap)
        return x

    def telemetry(self, x: torch.Tensor) -> torch.Tensor:
        self.peak = x.abs().max().item()  # ok: [TBR101] only stored
        print(f"any nan: {x.isnan().any().item()}")  # ok: [TBR101] only printed
        return x * 2.0
