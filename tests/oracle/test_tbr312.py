"""TBR312: vmap refuses to read what it maps over, and only that."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, shortened, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

ROWS = torch.linspace(0.1, 2.4, 12).reshape(3, 4)
FLOW = "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow."
ITEM = "vmap: It looks like you're calling .item() on a Tensor."


def test_example_raises_and_repair_maps() -> None:
    with loaded(page("TBR312").example) as bad, loaded(page("TBR312").repair) as good:
        refused = observe(bad.scaled_rows, ROWS)
        tell("mapped over rows", shortened(refused, ". ").rstrip())
        assert refused.first_line.startswith(FLOW)
        by_hand = torch.stack([bad.scaled(row) for row in ROWS])
        assert torch.allclose(good.scaled_rows(ROWS), by_hand)


def test_numbers_raise_too() -> None:
    refused = observe(torch.vmap(lambda row: row * row.sum().item()), ROWS)
    tell("`item()` in a mapped function", shortened(refused, ". ").rstrip())
    assert refused.first_line.startswith(ITEM)
    assert observe(torch.vmap(lambda row: row * float(row[0])), ROWS).first_line.startswith(ITEM)


def test_what_is_not_mapped_may_decide() -> None:
    limit = torch.tensor(0.4)
    closed = torch.vmap(lambda row: row.sin() if limit > 0.3 else row)
    given = torch.vmap(lambda row, flag: row.sin() if flag > 0.3 else row, in_dims=(0, None))
    sized = torch.vmap(lambda row: row.sin() if row.shape[0] > 2 else row)
    for result in (closed(ROWS), given(ROWS, limit), sized(ROWS)):
        assert torch.equal(result, ROWS.sin())


def test_a_transformed_function_is_mapped_all_the_same() -> None:
    def energy(row: Any) -> Any:
        total = row.sum()
        return -total if total < 0 else total

    assert observe(torch.vmap(torch.func.grad(energy)), ROWS).kind == "RuntimeError"
    assert torch.equal(torch.func.grad(energy)(ROWS[0]), torch.ones(4))


def test_a_check_by_an_operation_cannot_be_mapped() -> None:
    checked = observe(torch.vmap(lambda row: torch._assert_async(row.sum() < 9, "large") or row), ROWS)
    assert checked.first_line.startswith("Batching rule not implemented for aten::_assert_async")


def test_sizes_from_mapped_values_and_draws_are_refused() -> None:
    rows = torch.rand(3, 4)
    for sized in (lambda row: row[row > 0.5], torch.nonzero, torch.unique):
        with pytest.raises(RuntimeError, match="dynamic shape"):
            torch.vmap(sized)(rows)
    for draw in (torch.nn.functional.dropout, torch.rand_like):
        with pytest.raises(RuntimeError, match="randomness error mode"):
            torch.vmap(draw)(rows)
        assert torch.vmap(draw, randomness="different")(rows).shape == rows.shape
    weight = torch.ones(4)
    assert torch.equal(torch.vmap(lambda row: row * weight[weight > 0])(rows), rows)
