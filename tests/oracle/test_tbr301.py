"""TBR301: what one comparison on a size costs, per kind of `dynamic`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import graphs_compiled, graphs_of, loaded, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

SIZES = [(torch.randn(2, size),) for size in range(100, 150)]


def run_all(function: Any) -> None:
    for (x,) in SIZES:
        function(x)


def test_example_costs_one_graph_more_than_the_repair() -> None:
    with loaded(page("TBR301").example) as bad, loaded(page("TBR301").repair) as good:
        tell(f"{len(SIZES)} sizes", graphs_compiled(lambda: run_all(bad.pad_to_8)))
        tell(f"the repair, {len(SIZES)} sizes", graphs_compiled(lambda: run_all(good.pad_to_8)))
        assert graphs_compiled(lambda: run_all(bad.pad_to_8)) == 3
        assert graphs_compiled(lambda: run_all(good.pad_to_8)) == 2


def test_repair_computes_the_same() -> None:
    with loaded(page("TBR301").example) as bad, loaded(page("TBR301").repair) as good:
        for (x,) in SIZES[:9]:
            padded = torch._dynamo.disable(bad.pad_to_8)(x)
            assert torch.equal(padded, torch._dynamo.disable(good.pad_to_8)(x))
            assert padded.shape[1] % 8 == 0


def test_table_of_the_page() -> None:
    """The table of the page, row by row."""

    def no_test(x: Any) -> Any:
        return x.sin()

    def one_test(x: Any) -> Any:
        return x.sin() if x.shape[1] > 128 else x.cos()

    tell("one comparison, `dynamic=True`", graphs_of(one_test, SIZES, dynamic=True))
    tell("one comparison, `dynamic=False`, 12 sizes", graphs_of(one_test, SIZES[:12], dynamic=False))
    assert [graphs_of(f, SIZES) for f in (no_test, one_test)] == [2, 3]
    assert [graphs_of(f, SIZES, dynamic=True) for f in (no_test, one_test)] == [1, 2]
    assert [graphs_of(f, SIZES[:12], dynamic=False) for f in (no_test, one_test)] == [8, 8]


def test_a_test_that_only_raises_adds_no_graph() -> None:
    def guarded(x: Any) -> Any:
        if x.shape[1] > 1000:
            raise ValueError("too wide")
        return x.sin()

    assert graphs_of(guarded, SIZES) == 2


ASKED = {
    "== 1": lambda size: size == 1,
    "> 1": lambda size: size > 1,
    "<= 1": lambda size: size <= 1,
    ">= 2": lambda size: size >= 2,
    "< 2": lambda size: size < 2,
    "< 1": lambda size: size < 1,
    ">= 1": lambda size: size >= 1,
    "bool": lambda size: size,
    "not": lambda size: not size,
}


@pytest.mark.parametrize("dynamic", [None, True, False])
@pytest.mark.parametrize("first", [0, 2, 5])
def test_whether_to_expand_costs_no_graph(first: int, dynamic: bool | None) -> None:
    def expands(x: Any, p: Any) -> Any:
        if x.shape[0] != p.shape[0]:
            p = p.expand(x.shape[0], -1)
        return x.sin() + p

    def no_test(x: Any, p: Any) -> Any:
        return x.sin() + p

    sizes = [(4, 4), (6, 6), (4, 1), (6, 1), (5, 5), (7, 1)]
    pairs = [(torch.randn(n, 3), torch.randn(m, 3)) for n, m in (*sizes[first:], *sizes[:first])]
    costs = [graphs_of(f, pairs, dynamic=dynamic) for f in (expands, no_test)]
    assert costs[0] == costs[1] > 1


@pytest.mark.parametrize("dynamic", [None, True, False])
@pytest.mark.parametrize("asked", ASKED)
def test_size_one_has_a_graph_whoever_asks(asked: str, dynamic: bool | None) -> None:
    test = ASKED[asked]

    def single(x: Any) -> Any:
        return x.sin() if test(x.shape[1]) else x.cos()

    def no_test(x: Any) -> Any:
        return x.sin()

    sizes = [(torch.randn(2, size),) for size in (5, 6, 1, 7)]
    costs = [graphs_of(f, sizes, dynamic=dynamic) for f in (single, no_test)]
    assert costs[0] == costs[1] > 1
