"""TBR302: one graph per size, then none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import graphs_compiled, graphs_of, loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

SIZES = [(torch.randn(2, size),) for size in range(2, 14)]


def run_all(function: Any) -> None:
    for (x,) in SIZES:
        function(x)


def by_rows(x: Any) -> Any:
    total = torch.zeros(2)
    for row in x:
        total = total + row.sin()
    return total


TABLE = {size: 0.1 * size for size in range(2, 14)}


def by_table(x: Any) -> Any:
    return x * TABLE[x.shape[1]]


def test_example_compiles_eight_sizes_and_gives_up() -> None:
    with loaded(page("TBR302").example) as bad, loaded(page("TBR302").repair) as good:
        tell(f"{len(SIZES)} sizes", graphs_compiled(lambda: run_all(bad.decayed_sum)))
        assert graphs_compiled(lambda: run_all(bad.decayed_sum)) == 8
        assert graphs_compiled(lambda: run_all(good.decayed_sum)) == 2


def test_repair_computes_the_same() -> None:
    with loaded(page("TBR302").example) as bad, loaded(page("TBR302").repair) as good:
        for (x,) in SIZES:
            expected = torch._dynamo.disable(bad.decayed_sum)(x)
            assert torch.allclose(torch._dynamo.disable(good.decayed_sum)(x), expected, atol=1e-5)


def test_the_other_forms_cost_the_same_and_dynamic_does_not_help() -> None:
    assert graphs_of(by_rows, [(torch.randn(size, 2),) for size in range(2, 14)]) == 8
    assert graphs_of(by_table, SIZES) == 8
    assert graphs_of(by_table, SIZES, dynamic=True) == 8


def test_fullgraph_stops_at_the_limit() -> None:
    outcome = observe(graphs_of, by_table, SIZES, fullgraph=True)
    tell(f"a dict by size, {len(SIZES)} sizes, `fullgraph=True`", outcome.kind or "no error")
    assert outcome.kind == "FailOnRecompileLimitHit"
