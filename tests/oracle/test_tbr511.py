"""TBR511: segments that cannot be made."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


def test_example_raises() -> None:
    with loaded(page("TBR511").example) as bad:
        outcome = observe(bad.run, rows())
    tell("more segments than the chain has", outcome)
    assert (outcome.kind, outcome.first_line) == ("ValueError", "range() arg 3 must not be zero")


@pytest.mark.parametrize(("segments", "kind"), [(0, "ZeroDivisionError"), (1, ""), (2, ""), (3, "ValueError")])
def test_counts_for_a_chain_of_two(segments: int, kind: str) -> None:
    from torch.utils.checkpoint import checkpoint_sequential

    chain = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    outcome = observe(checkpoint_sequential, chain, segments, rows(), use_reentrant=False)
    tell(f"{segments} segments of a chain of two", outcome)
    assert outcome.kind == kind


def test_repair_runs() -> None:
    with loaded(page("TBR511").repair) as good:
        assert observe(good.run, rows()).error is None
