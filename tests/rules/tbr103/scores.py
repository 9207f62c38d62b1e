# options: --tbr-enable=TBR103
"""Scores that another file judges."""

from pathlib import Path

from torch import Tensor


def accuracy(logits: Tensor, labels: Tensor) -> float:
    return (logits.argmax(-1) == labels).float().mean().item()


def is_close(a: Tensor, b: Tensor) -> bool:
    return bool((a - b).abs().max() < 1e-3)  # ok: [TBR103] read and returned: the caller decides


def recorded(path: Path) -> float:
    return float(path.read_text())
