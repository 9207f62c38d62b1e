"""TBR201: a comparison that falls the other way in the recompute."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle

COUNT = "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation."
ROW = torch.tensor([[1.0, 0.0, 0.0, 0.0]])


def flip_by_one_digit(module: Any) -> Any:
    """Forward with a cap one unit below the norm, which fires; recompute with the cap at the norm, which does not."""
    block = module.NormCap()
    block.cap.copy_(torch.nextafter(torch.tensor(1.0), torch.tensor(0.0)))
    x = ROW.clone().requires_grad_()
    out = module.run(block, x)
    block.cap.fill_(1.0)
    out.sum().backward()
    return block.gain.grad


def reentrant_gradient(block: Any, cap_in_forward: float, cap_in_backward: float) -> Any:
    """Gradient of `gain` under a reentrant checkpoint whose cap moves before backward."""
    from torch.utils.checkpoint import checkpoint

    block.gain.grad = None
    block.cap.fill_(cap_in_forward)
    out = checkpoint(block, (ROW * 3).requires_grad_(), use_reentrant=True)
    block.cap.fill_(cap_in_backward)
    out.sum().backward()
    return block.gain.grad


def test_example_raises_on_a_flip_of_one_digit() -> None:
    with loaded(page("TBR201").example) as bad:
        outcome = observe(flip_by_one_digit, bad)
    tell("the recompute reads the norm at the cap, the forward one unit above", outcome)
    assert (outcome.kind, outcome.first_line) == ("CheckpointError", COUNT)


def test_repair_survives_the_same_flip() -> None:
    with loaded(page("TBR201").repair) as good:
        moved = flip_by_one_digit(good)
        block = good.NormCap()
        good.run(block, ROW.clone().requires_grad_()).sum().backward()
    assert torch.allclose(moved, block.gain.grad, rtol=1e-6)


def test_unchanged_state_is_clean_bit_for_bit() -> None:
    with loaded(page("TBR201").example) as bad:
        block = bad.NormCap()
        gradients = []
        for run in (bad.run, lambda module, x: module(x)):
            block.gain.grad = None
            run(block, (ROW * 3).requires_grad_()).sum().backward()
            gradients.append(block.gain.grad.clone())
    assert torch.equal(*gradients)


def test_reentrant_says_nothing_and_is_wrong() -> None:
    with loaded(page("TBR201").example) as bad:
        block = bad.NormCap()
        right = reentrant_gradient(block, 1.0, 1.0).clone()
        outcome = observe(reentrant_gradient, block, 1.0, 4.0)
    tell("a flip under the reentrant variant", silent(outcome, wrong_by(outcome.value, right)))
    assert outcome.error is None
    assert not torch.allclose(outcome.value, right, rtol=0.1)


def test_same_value_computed_without_a_flip() -> None:
    with loaded(page("TBR201").example) as bad, loaded(page("TBR201").repair) as good:
        for scale in (0.5, 1.0, 3.0):
            assert torch.equal(bad.run(bad.NormCap(), ROW * scale), good.run(good.NormCap(), ROW * scale))


def test_draws_on_the_default_generator_are_replayed() -> None:
    """The page's silent case: `if torch.rand(()) < p` reads the same value in the recompute."""
    from torch.utils.checkpoint import checkpoint

    seen: list[bool] = []

    def region(x: Any) -> Any:
        seen.append(bool(torch.rand(()) < 0.5))
        return (x * 2 if seen[-1] else x).sin()

    for seed in range(8):
        torch.manual_seed(seed)
        checkpoint(region, ROW.clone().requires_grad_(), use_reentrant=False).sum().backward()
    assert seen[::2] == seen[1::2]
    assert len(set(seen)) == 2


def test_whole_numbers_that_were_handed_in_read_the_same_again() -> None:
    """The page's silent case: another thread count moves the last digits of a sum of floats, never one of integers."""
    from torch.utils.checkpoint import checkpoint

    seen: list[tuple[int, float]] = []

    def region(x: Any, position_ids: Any) -> Any:
        steps = torch.arange(position_ids.shape[1]) + position_ids.min()
        seen.append((int((steps - position_ids).abs().sum()), float(x.detach().sum())))
        return x.sin()

    threads = torch.get_num_threads()
    torch.manual_seed(0)
    try:
        for size in (4097, 100_003, 1_000_003):
            x = torch.randn(1, size, requires_grad=True)
            torch.set_num_threads(4)
            out = checkpoint(region, x, torch.randint(size, (1, size)), use_reentrant=False)
            torch.set_num_threads(1)
            out.sum().backward()
    finally:
        torch.set_num_threads(threads)
    forward, recompute = seen[::2], seen[1::2]
    assert [whole for whole, _ in forward] == [whole for whole, _ in recompute]
    assert [floats for _, floats in forward] != [floats for _, floats in recompute]
