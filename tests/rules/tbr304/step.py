"""A compiled function that branches on a reading made in the file beside this one."""

import torch

from .tests_of_value import capped, configured, diverged


@torch.compile(backend="eager")
def step(x: torch.Tensor, name: str) -> torch.Tensor:
    if diverged(x):  # error: [TBR304]
        x = torch.nan_to_num(x)
    if configured(name):  # ok: [TBR304] a string
        x = x * 2
    return capped(x).sin()  # error: [TBR304]
