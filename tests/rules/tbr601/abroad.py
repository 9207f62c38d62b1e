"""A run that the file beside this one makes deterministic; two helpers of which a caller takes one or the other."""

from torch.backends import cudnn

from .strict import deterministic


def main() -> None:
    deterministic()
    cudnn.benchmark = True  # error: [TBR601] "switched to deterministic"


def choose(strict: bool) -> None:
    if strict:
        deterministic()
        return
    cudnn.benchmark = True  # ok: [TBR601] a strict run has returned
