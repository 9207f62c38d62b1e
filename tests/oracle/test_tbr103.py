"""TBR103: a verdict changes with the order of an addition."""

from __future__ import annotations

import pytest

from tests.oracle.support import loaded, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

PARTS = torch.tensor([[0.1, 0.3, 0.5]])
ORDERS = [(0, 1, 2), (2, 1, 0), (0, 2, 1)]


def test_example_depends_on_the_order_of_the_same_numbers() -> None:
    with loaded(page("TBR103").example) as bad:
        verdicts = {tuple(bad.accepted(PARTS[:, list(order)])) for order in ORDERS}
    tell("the same three numbers in three orders", f"{len(verdicts)} results: {sorted(map(list, verdicts))}")
    assert verdicts == {(), (0,)}


def test_repair_marks_what_is_too_close_to_call() -> None:
    with loaded(page("TBR103").repair) as good:
        for order in ORDERS:
            _, close = good.accepted(PARTS[:, list(order)])
            assert close.tolist() == [True]


def test_repair_gives_the_same_verdict_away_from_the_border() -> None:
    parts = torch.tensor([[0.1, 0.1, 0.1], [0.5, 0.3, 0.3], [0.4, 0.4, 0.4]])
    with loaded(page("TBR103").example) as bad, loaded(page("TBR103").repair) as good:
        passed, close = good.accepted(parts)
        assert passed.nonzero().flatten().tolist() == bad.accepted(parts) == [1, 2]
        assert not close.any()
