"""TBR202: a region that changes what its own predicate reads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle

COUNT = "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation."


def build(module: Any) -> Any:
    torch.manual_seed(0)
    return module.EveryOther()


def gradient(run: Any, block: Any) -> Any:
    run(block, torch.ones(2, 4, requires_grad=True)).backward()
    return block.fc.weight.grad


def test_example_raises_in_its_first_step() -> None:
    with loaded(page("TBR202").example) as bad:
        outcome = observe(gradient, bad.run, build(bad))
    tell("the first step", outcome)
    assert (outcome.kind, outcome.first_line) == ("CheckpointError", COUNT)


def test_reentrant_gives_the_wrong_gradient_without_a_word() -> None:
    from torch.utils.checkpoint import checkpoint

    with loaded(page("TBR202").example) as bad:
        right = gradient(lambda block, x: block(x), build(bad))
        block = build(bad)
        outcome = observe(gradient, lambda block, x: checkpoint(block, x, use_reentrant=True), block)
    tell("the reentrant variant", silent(outcome, wrong_by(outcome.value, right)))
    assert (outcome.error, outcome.warnings) == (None, [])
    assert not torch.allclose(outcome.value, right)
    assert block.calls == 2


def test_repair_counts_once_and_computes_the_gradient_of_the_plain_call() -> None:
    with loaded(page("TBR202").example) as bad, loaded(page("TBR202").repair) as good:
        right = gradient(lambda block, x: block(x), build(bad))
        block = build(good)
        assert torch.equal(gradient(good.run, block), right)
        assert block.calls == 1


def test_grad_mode_is_not_the_same_in_a_reentrant_forward_and_its_recompute() -> None:
    from torch.utils.checkpoint import checkpoint

    seen: list[tuple[bool, bool]] = []

    def region(x: Any) -> Any:
        y = x * 2
        seen.append((torch.is_grad_enabled(), y.requires_grad))
        return y.sin()

    for reentrant, forward in ((True, (False, False)), (False, (True, True))):
        seen.clear()
        checkpoint(region, torch.ones(2, requires_grad=True), use_reentrant=reentrant).sum().backward()
        assert seen == [forward, (True, True)]
