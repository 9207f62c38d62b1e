"""TBR601: the module of cuDNN under another name: a local, an attribute."""

import torch


def local() -> None:
    torch.use_deterministic_algorithms(True)
    module = torch.backends.cudnn
    module.benchmark = True  # error: [TBR601]


def above() -> None:
    torch.use_deterministic_algorithms(True)
    backends = torch.backends
    backends.cudnn.benchmark = True  # error: [TBR601]


class Runner:
    def __init__(self, settings) -> None:
        self.cudnn = torch.backends.cudnn
        self.settings = settings

    def start(self) -> None:
        torch.use_deterministic_algorithms(True)
        self.cudnn.benchmark = True  # error: [TBR601]
        self.settings.benchmark = True  # ok: [TBR601] an attribute of something else
