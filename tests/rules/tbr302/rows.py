"""Helpers that a compiled function of another file calls."""

from torch import Tensor

FACTORS = {4: 0.5, 8: 0.25}


def length(x: Tensor) -> int:
    return x.shape[-1]


def row_means(x: Tensor) -> list[Tensor]:
    return [row.mean() for row in x]  # note: "decided here"


def rank(x: Tensor) -> int:
    return x.dim()


def eager_sum(x: Tensor) -> Tensor:
    total = x.new_zeros(())
    for row in x:  # ok: [TBR302] no compiled function reaches it
        total = total + row.sum()
    return total


def scaled(x: Tensor) -> Tensor:
    return x * FACTORS[x.shape[0]]  # note: "decided here"


def labelled(x: Tensor) -> Tensor:
    print(f"{x.shape[0]} rows", str(x.shape[0]))
    return x.cos()
