"""TBR602: warnings alone that the next setting takes back."""

import torch

torch.use_deterministic_algorithms(True, warn_only=True)  # ok: [TBR602] the next one raises
torch.use_deterministic_algorithms(True)


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a, b)


def warned(a: torch.Tensor, b: torch.Tensor) -> bool:
    torch.use_deterministic_algorithms(True, warn_only=True)  # error: [TBR602]
    found = torch.equal(a, b)
    torch.use_deterministic_algorithms(True)
    return found
