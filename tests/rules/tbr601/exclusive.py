"""Two sides of one test, and a helper that undoes what the module says first."""

import torch

torch.backends.cudnn.benchmark = True  # ok: [TBR601] the helper that switches determinism on takes it back


def strict_mode(seed: int) -> None:
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


def choose(strict: bool) -> None:
    if strict:
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False
    else:
        torch.backends.cudnn.benchmark = True  # ok: [TBR601] the other side of the test
