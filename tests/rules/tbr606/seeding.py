"""What another file calls first."""

import torch


def deterministic(seed: int = 0) -> None:
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
