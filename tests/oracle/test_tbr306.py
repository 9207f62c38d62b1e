"""TBR306: a scalar read cuts the graph once, unless it is captured."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import graphs_compiled, graphs_of, loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

XS = [(torch.full((4,), float(value)),) for value in range(1, 31)]


def test_example_is_two_graphs_and_repair_one() -> None:
    with loaded(page("TBR306").example) as bad, loaded(page("TBR306").repair) as good:
        tell("one call", graphs_compiled(lambda: bad.normalised(XS[0][0])))
        assert graphs_compiled(lambda: bad.normalised(XS[0][0])) == 2
        assert graphs_compiled(lambda: good.normalised(XS[0][0])) == 1
        for (x,) in XS:
            assert torch.equal(torch._dynamo.disable(bad.normalised)(x), torch._dynamo.disable(good.normalised)(x))


def read(x: Any) -> Any:
    return x.sin() * x.max().item()


def read_in_loop(x: Any) -> Any:
    for _ in range(2):
        x = x + x.sum().item()
    return x


def test_values_cost_no_graph_each() -> None:
    assert graphs_of(read, XS) <= 3


def test_captured_it_is_one_graph() -> None:
    whole = observe(graphs_of, read, XS[:1], fullgraph=True)
    tell("`fullgraph=True`", whole if whole.error else whole.value)
    assert graphs_of(read, XS[:1], fullgraph=True) == 1
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        assert graphs_of(read, XS[:1]) == 1


def test_in_a_loop_the_function_runs_eagerly() -> None:
    assert graphs_of(read_in_loop, XS[:1]) == 0
