"""TBR106: a sum in another order decides otherwise; PyTorch's own list names the operators."""

from __future__ import annotations

import pytest

from tests.oracle.support import cannot_show, loaded, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

INDEX = torch.zeros(3, dtype=torch.long)
# In float32, (1 + 5e-8) + 5e-8 is 1, and (5e-8 + 5e-8) + 1 is more than 1.
BIG_FIRST = torch.tensor([1.0, 5e-8, 5e-8])
BIG_LAST = BIG_FIRST.flip(0)


def test_the_order_of_the_sum_decides() -> None:
    first = torch.zeros(2).index_add(0, INDEX, BIG_FIRST).max()
    last = torch.zeros(2).index_add(0, INDEX, BIG_LAST).max()
    tell("the sum beside 1 in one order, and in the other", f"above 1: {bool(first > 1)}, {bool(last > 1)}")
    assert (bool(first > 1), bool(last > 1)) == (False, True)


def test_example_and_repair_give_the_same_where_the_order_is_fixed() -> None:
    cannot_show("that CUDA adds in an order that changes from run to run")
    values = torch.tensor([1.0, 2.0, 3.0])
    with loaded(page("TBR106").example) as bad, loaded(page("TBR106").repair) as good:
        assert torch.equal(bad.limited(INDEX, values), good.limited(INDEX, values))
        assert torch.equal(bad.limited(INDEX, values / 10), good.limited(INDEX, values / 10))


@pytest.mark.parametrize(
    "name", ["index_add", "scatter_add", "scatter_reduce", "index_put", "put_", "bincount", "cumsum"]
)
def test_the_operators_are_on_the_list(name: str) -> None:
    assert name in str(torch.use_deterministic_algorithms.__doc__)
