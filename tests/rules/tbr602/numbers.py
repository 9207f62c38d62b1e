"""A number that is written out is no result of another run."""

import torch

torch.use_deterministic_algorithms(True, warn_only=True)  # ok: [TBR602] only masks are tested


def padded(mask: torch.Tensor) -> bool:
    return bool((mask == 0).all()) or not torch.ne(mask, 1).any()
