"""The shape branch, repaired: no size is tested in the compiled region.

Where many head sizes share one attention, the size enters as arithmetic, which stays symbolic: two graphs serve them
all. Where a model has one head size, the choice is made once in `__init__` and kept as a flag that no call changes.
Sequence lengths may then vary as they like; the flag costs no graph of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

HEAD_SIZES = tuple(range(32, 545, 32))
LENGTHS = tuple(range(4, 21))


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    query = query * max(0.25, 1.0 - 0.25 * ((query.shape[-1] - 1) // 128))
    return F.scaled_dot_product_attention(query, key, value)


class Attention(nn.Module):
    """Attention of a model whose head size is known when it is built."""

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self._wide = head_dim > 128

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        if self._wide:
            query = query * 0.75
        return F.scaled_dot_product_attention(query, key, value)


class CountingBackend:
    """A TorchDynamo backend that runs graphs as they are and counts what it is given."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, graph: torch.fx.GraphModule, example_inputs: list[torch.Tensor]) -> Any:
        self.graphs += 1
        return graph.forward


def graphs_of(function: Callable[..., Any], shapes: Iterable[tuple[int, ...]], dynamic: bool | None = None) -> int:
    """Compile `function`, call it once with each shape and return the number of graphs."""
    torch.compiler.reset()
    backend = CountingBackend()
    compiled = torch.compile(function, backend=backend, dynamic=dynamic)
    for shape in shapes:
        compiled(*(torch.ones(shape) for _ in range(3)))
    torch.compiler.reset()
    return backend.graphs


def many_head_sizes(dynamic: bool | None = None) -> int:
    """The traffic of the incident: one attention, many head sizes."""
    return graphs_of(attention, [(1, 2, 4, size) for size in HEAD_SIZES], dynamic)


def one_head_size(dynamic: bool | None = None) -> int:
    """A model of one head size under many sequence lengths."""
    return graphs_of(Attention(256), [(1, 2, length, 256) for length in LENGTHS], dynamic)


def main() -> None:
    """Print the number of graphs by the `dynamic` argument of torch.compile."""
    for dynamic in (None, True):
        print(f"dynamic={dynamic}, many head sizes: {many_head_sizes(dynamic)} graphs")
        print(f"dynamic={dynamic}, one head size: {one_head_size(dynamic)} graphs")


if __name__ == "__main__":
    main()
