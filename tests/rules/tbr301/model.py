"""A compiled function that tests sizes through the file beside this one."""

import torch

from .sizes import is_long, is_matrix, padded


@torch.compile(backend="eager")
def shorten(x: torch.Tensor) -> torch.Tensor:
    if is_matrix(x):  # ok: [TBR301] the rank
        x = x.unsqueeze(-1)
    if is_long(x):  # error: [TBR301]
        x = x[:, ::2]
    return padded(x).sin()  # error: [TBR301]
