"""TBR512: save_for_backward takes tensors and None."""

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
    with loaded(page("TBR512").example) as bad:
        outcome = observe(bad.run, rows().requires_grad_(), bad.Mask(torch.ones(4)))
    tell("the call", outcome)
    assert outcome.kind == "TypeError"
    assert outcome.first_line == "save_for_backward can only save variables, but argument 1 is of type Mask"


def test_repair_runs() -> None:
    x = rows().requires_grad_()
    with loaded(page("TBR512").repair) as good:
        outcome = observe(lambda: good.run(x, good.Mask(torch.ones(4))).sum().backward())
    assert outcome.error is None
    assert torch.equal(x.grad, torch.ones(2, 4))


@pytest.mark.parametrize(("given", "kind"), [(None, ""), (2.0, "TypeError")])
def test_none_may_be_saved_and_numbers_not(given: Any, kind: str) -> None:
    with loaded(page("TBR512").example) as bad:
        outcome = observe(bad.Recompute.apply, lambda x, _: x * 2, rows().requires_grad_(), given)
    assert outcome.kind == kind
