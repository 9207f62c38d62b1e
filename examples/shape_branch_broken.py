"""The shape branch: a compiled attention that asks for the head size of its query.

Dynamo traces one side of the test at a time and guards the graph with the answer, so that each outcome is a graph of
its own. With many head sizes in the traffic, four tiers of them cost five graphs where two would do: one per outcome,
plus the first static one. It is not one graph per size, as the incident's write-up has it: only `dynamic=False`
compiles for each size, and gives up after eight.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

HEAD_SIZES = tuple(range(32, 545, 32))


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    if query.shape[-1] > 384:
        query = query * 0.25
    elif query.shape[-1] > 256:
        query = query * 0.5
    elif query.shape[-1] > 128:
        query = query * 0.75
    return F.scaled_dot_product_attention(query, key, value)


class CountingBackend:
    """A TorchDynamo backend that runs graphs as they are and counts what it is given."""

    def __init__(self) -> None:
        self.graphs = 0
        self.compiled_calls = 0

    def __call__(self, graph: torch.fx.GraphModule, example_inputs: list[torch.Tensor]) -> Any:
        self.graphs += 1

        def run(*args: Any) -> Any:
            self.compiled_calls += 1
            return graph.forward(*args)

        return run


def traffic(dynamic: bool | None = None) -> CountingBackend:
    """Send each head size through the compiled attention once and return what was compiled."""
    torch.compiler.reset()
    backend = CountingBackend()
    compiled = torch.compile(attention, backend=backend, dynamic=dynamic)
    for size in HEAD_SIZES:
        compiled(*(torch.ones(1, 2, 4, size) for _ in range(3)))
    torch.compiler.reset()
    return backend


def main() -> None:
    """Print the number of graphs by the `dynamic` argument of torch.compile."""
    for dynamic in (None, True, False):
        backend = traffic(dynamic)
        share = f"{backend.compiled_calls} of {len(HEAD_SIZES)}"
        print(f"dynamic={dynamic}: {backend.graphs} graphs; {share} calls ran compiled")


if __name__ == "__main__":
    main()
