"""TBR503: a part of a backward through a reentrant checkpoint."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


REFUSED = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter"
)


def test_example_raises() -> None:
    with loaded(page("TBR503").example) as bad:
        outcome = observe(bad.penalty, torch.nn.Linear(4, 1), rows())
    assert outcome.kind == "RuntimeError"
    assert outcome.first_line.startswith(REFUSED)


def test_repair_is_differentiable() -> None:
    layer = torch.nn.Linear(4, 1)
    with loaded(page("TBR503").repair) as good:
        outcome = observe(lambda: good.penalty(layer, rows()).backward())
    assert outcome.error is None
    assert layer.weight.grad is not None


@pytest.mark.parametrize("inputs", ["input", "weight"])
def test_backward_with_inputs(inputs: str) -> None:
    """Asked for the input it raises; asked for a parameter of the region it silently gives none."""
    from torch.utils.checkpoint import checkpoint

    layer, x = torch.nn.Linear(4, 1), rows().requires_grad_()
    y = checkpoint(layer, x, use_reentrant=True).sum()
    outcome = observe(lambda: y.backward(inputs=[x if inputs == "input" else layer.weight]))
    given = wrong_by(layer.weight.grad, layer.weight)
    what = "its input" if inputs == "input" else "a weight of the region"
    tell(f"`backward(inputs=...)` with {what}", silent(outcome, given))
    assert outcome.kind == ("RuntimeError" if inputs == "input" else "")
    assert layer.weight.grad is None
