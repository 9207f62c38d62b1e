"""TBR507: a flag by position is the function's."""

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
    with loaded(page("TBR507").example) as bad:
        outcome = observe(bad.run, torch.nn.Linear(4, 4), rows().requires_grad_())
    tell("the call", outcome)
    assert outcome.kind == "TypeError"
    assert outcome.first_line.endswith("takes 2 positional arguments but 3 were given")


def test_repair_runs() -> None:
    with loaded(page("TBR507").repair) as good:
        assert observe(good.run, torch.nn.Linear(4, 4), rows()).error is None


@pytest.mark.parametrize("flag", [False, True])
def test_checkpoint_sequential_takes_it_as_its_own(flag: bool) -> None:
    from torch.utils.checkpoint import checkpoint_sequential

    chain = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    outcome = observe(checkpoint_sequential, chain, 2, rows().requires_grad_(), flag)
    assert (outcome.error, outcome.warnings) == (None, [])
