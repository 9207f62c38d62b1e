"""What another file calls to make a run deterministic."""

import torch


def deterministic(seed: int = 0) -> None:
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
