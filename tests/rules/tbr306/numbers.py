# options: --tbr-enable=TBR306
"""Numbers that a compiled function of another file asks for."""

from torch import Tensor


def peak_of(x: Tensor) -> float:
    return x.max().item()  # note: "read here"


def width_of(x: Tensor) -> float:
    return float(x.shape[-1])  # ok: [TBR306] a size


def total_of(x: Tensor) -> float:
    return x.sum().item()  # ok: [TBR306] only eager code asks for it
