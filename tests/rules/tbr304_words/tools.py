"""A helper that compiles what it is given, by a name that is imported beside others."""

from torch import Tensor, compile  # noqa: A004


def fast(function):
    return compile(function, fullgraph=True)


def doubled(x: Tensor) -> Tensor:
    return x * 2
