"""One flag decides both."""

import torch


def setup(strict: bool = True) -> None:
    torch.backends.cudnn.benchmark = not strict  # ok: [TBR601] the opposite of the switch
    torch.backends.cudnn.deterministic = strict
