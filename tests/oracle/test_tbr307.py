"""TBR307: a size that depends on values cuts the graph, unless it is captured."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import graphs_compiled, graphs_of, loaded, observe, page, require_torch, shortened, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

X = torch.linspace(-1.0, 1.0, 7)


def test_example_is_cut_and_repair_is_not() -> None:
    with loaded(page("TBR307").example) as bad, loaded(page("TBR307").repair) as good:
        tell("one call", graphs_compiled(lambda: bad.positive_sum(X)))
        assert graphs_compiled(lambda: bad.positive_sum(X)) == 2
        assert graphs_compiled(lambda: good.positive_sum(X)) == 1
        assert torch.allclose(torch._dynamo.disable(bad.positive_sum)(X), torch._dynamo.disable(good.positive_sum)(X))


def masked(x: Any) -> Any:
    return x.sin()[x > 0] * 2


def found(x: Any) -> Any:
    return x.sin() + torch.nonzero(x > 0).sum()


def kinds(x: Any) -> Any:
    return x.sin() + torch.unique(x.round()).sum()


def looped(x: Any) -> Any:
    for _ in range(2):
        x = x + torch.nonzero(x > 0).sum()
    return x


def gathered(x: Any) -> Any:
    return x[torch.arange(3)].sin()


@pytest.mark.parametrize("function", [masked, found, kinds])
def test_other_operations(function: Any) -> None:
    whole = observe(graphs_of, function, [(X,)], fullgraph=True)
    shown = {"masked": "`x[x > 0]`", "found": "`torch.nonzero`", "kinds": "`torch.unique`"}[function.__name__]
    tell(f"{shown} with `fullgraph=True`", shortened(whole, "default") if whole.error else whole.value)
    assert graphs_of(function, [(X,)]) == 2
    assert graphs_of(function, [(X,)], fullgraph=True) == 1
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        assert graphs_of(function, [(X,)]) == 1


def test_in_a_loop_the_function_runs_eagerly() -> None:
    assert graphs_of(looped, [(X,)]) == 0


def test_an_integer_index_gives_a_known_size() -> None:
    assert graphs_of(gathered, [(X,)]) == 1
