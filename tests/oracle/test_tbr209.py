"""TBR209: a cache that is filled in the forward and full in the recompute."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle

COUNT = "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation."


def gradient(module: Any, run: Any) -> Any:
    torch.manual_seed(0)
    block = module.Block()
    run(block, torch.ones(2, 4, requires_grad=True)).square().sum().backward()
    return block.decay.grad


def test_example_raises_in_its_first_step() -> None:
    with loaded(page("TBR209").example) as bad:
        outcome = observe(gradient, bad, bad.run)
    tell("the first step", outcome)
    assert (outcome.kind, outcome.first_line) == ("CheckpointError", COUNT)


def test_reentrant_leaves_the_parameter_without_a_gradient() -> None:
    from torch.utils.checkpoint import checkpoint

    with loaded(page("TBR209").example) as bad:
        right = gradient(bad, lambda block, x: block(x))
        assert right is not None
        outcome = observe(gradient, bad, lambda block, x: checkpoint(block, x, use_reentrant=True))
    tell("the reentrant variant", silent(outcome, wrong_by(outcome.value, right)))
    assert (outcome.error, outcome.value) == (None, None)


def test_repair_gives_the_gradient_of_the_plain_call() -> None:
    with loaded(page("TBR209").example) as bad, loaded(page("TBR209").repair) as good:
        assert torch.equal(gradient(good, good.run), gradient(bad, lambda block, x: block(x)))


def test_a_cached_function_of_a_parameter_does_the_same_and_a_cached_constant_does_not() -> None:
    from torch.utils.checkpoint import checkpoint

    weight = torch.nn.Parameter(torch.ones(4))
    layer = torch.nn.Linear(4, 4)

    def step(source: Any) -> None:
        @functools.cache
        def table(n: int) -> Any:
            return torch.exp(torch.sin(source[:n]))

        checkpoint(lambda x: layer(x) * table(4), torch.ones(2, 4), use_reentrant=False).square().sum().backward()

    assert observe(step, weight).kind == "CheckpointError"
    assert observe(step, torch.arange(4.0)).error is None
