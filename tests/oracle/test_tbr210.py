"""TBR210: a routing that falls otherwise in the recompute; CPU kernels repeat exactly, so the test moves the score."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

META = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
    "forward pass."
)


def step(module: Any, flip: bool) -> Any:
    torch.manual_seed(0)
    experts = module.Experts()
    x = torch.randn(6, 4, requires_grad=True)
    loss = experts(x).square().sum()
    if flip:
        with torch.no_grad():
            experts.router.bias.add_(torch.tensor([5.0, -5.0]))
    loss.backward()
    return experts.first.weight.grad


def test_example_raises_when_a_row_is_routed_otherwise() -> None:
    with loaded(page("TBR210").example) as bad:
        outcome = observe(step, bad, True)
        tell("the recompute routes rows otherwise", outcome)
        tell("the recompute routes alike", observe(step, bad, False))
        assert observe(step, bad, False).error is None
    assert (outcome.kind, outcome.first_line) == ("CheckpointError", META)


def test_repair_keeps_the_routing_of_the_forward() -> None:
    with loaded(page("TBR210").example) as bad, loaded(page("TBR210").repair) as good:
        assert torch.equal(step(good, True), step(bad, False))
