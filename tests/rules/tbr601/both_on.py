"""Both switches in one module, through an alias."""

import torch
import torch.backends.cudnn as cudnn

cudnn.deterministic = True
cudnn.benchmark = True  # error: [TBR601] "switched to deterministic"


def algorithms() -> None:
    torch.use_deterministic_algorithms(True)
