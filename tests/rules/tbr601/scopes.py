"""The benchmark in a scope of its own, by a setter, by `setattr`; scopes that keep it off."""

import torch
from torch.backends import cudnn

torch.use_deterministic_algorithms(True)


def timed(x: torch.Tensor) -> torch.Tensor:
    with cudnn.flags(enabled=True, benchmark=True):  # error: [TBR601] "switched to deterministic"
        x = torch.conv2d(x, x)
    with torch.backends.cudnn.flags(True, True, deterministic=True):  # error: [TBR601]
        return torch.conv2d(x, x)


def by_setters() -> None:
    torch.backends.cudnn.set_flags(_benchmark=True)  # error: [TBR601]
    setattr(cudnn, "benchmark", True)  # error: [TBR601]


def steady(x: torch.Tensor) -> torch.Tensor:
    with cudnn.flags(enabled=True, deterministic=True):  # ok: [TBR601] its benchmark is off by default
        x = torch.conv2d(x, x)
    setattr(cudnn, "allow_tf32", True)  # ok: [TBR601] another flag
    with cudnn.flags(enabled=True, benchmark=False):  # ok: [TBR601] off
        return torch.conv2d(x, x)
