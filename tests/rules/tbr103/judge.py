# options: --tbr-enable=TBR103
"""Verdicts on scores of the file beside this one."""

from pathlib import Path

import torch
from torch import Tensor

from . import scores
from .scores import accuracy, recorded


@torch.no_grad()
def best_epoch(outputs: list[Tensor], labels: Tensor) -> int:
    best, at = 0.0, -1
    for epoch, logits in enumerate(outputs):
        score = accuracy(logits, labels)
        if score > best:  # error: [TBR103]
            best, at = score, epoch
    return at


def verdict(output: Tensor, reference: Tensor) -> str:
    return "same" if scores.is_close(output, reference) else "different"  # error: [TBR103]


def improved(path: Path, before: float) -> int:
    if recorded(path) > before:  # ok: [TBR103] the other file reads this number from a file, never from a tensor
        return 1
    return 0
