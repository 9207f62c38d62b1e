"""TBR604: a draw without a seed is held to written numbers in vain; the same seeds repeat."""

from __future__ import annotations

import pytest

from tests.oracle.support import cannot_show, loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def test_no_draw_meets_the_written_number() -> None:
    with loaded(page("TBR604").example) as module:
        kinds = {observe(module.check_total).kind for _ in range(3)}
    tell("three draws without a seed against a written number", ", ".join(sorted(kind or "no error" for kind in kinds)))
    cannot_show("that another machine or an empty cache leads to other kernels")
    assert kinds == {"AssertionError"}


def test_two_generators_of_one_seed_agree() -> None:
    with loaded(page("TBR604").repair) as module:
        assert observe(module.check_total).error is None


def test_the_same_sum_in_another_order_is_another_number() -> None:
    x = torch.randn(4096, generator=torch.Generator().manual_seed(0))
    square = x.view(64, 64)
    orders = {x.sum().item(), square.sum(0).sum().item(), square.sum(1).sum().item(), square.T.flatten().sum().item()}
    assert len(orders) > 1
