"""TBR207: a handler takes the exception by which a recompute stops."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

STOP = "Unexpected state: target_frame.early_stop is set"


def step(run: Any, block: Any) -> None:
    run(block, torch.ones(2, 4, requires_grad=True)).sum().backward()


def test_example_fails_in_backward_though_its_forward_is_right() -> None:
    with loaded(page("TBR207").example) as bad:
        block = bad.Block()
        x = torch.ones(2, 4)
        assert torch.equal(bad.run(block, x), block.fast(x))
        outcome = observe(step, bad.run, block)
    tell("backward", outcome)
    assert (outcome.kind, outcome.first_line) == ("AssertionError", STOP)


def test_repair_runs_through() -> None:
    with loaded(page("TBR207").repair) as good:
        block = good.Block()
        assert observe(step, good.run, block).error is None
        assert block.fast.weight.grad is not None
        assert block.slow.weight.grad is None


@pytest.mark.parametrize(
    ("form", "error"),
    [("around earlier work", ""), ("raises another", "ValueError"), ("raises it again", ""), ("saves nothing", "")],
)
def test_which_handlers_do_harm(form: str, error: str) -> None:
    from torch.utils.checkpoint import checkpoint

    first, second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def region(x: Any) -> Any:
        try:
            y = first(x).sin()
        except Exception as stop:
            if form == "raises another":
                raise ValueError("no") from stop
            if form == "raises it again":
                raise
            y = second(x) if form == "around earlier work" else x
        return second(y) if form == "around earlier work" else y + x

    def run() -> None:
        checkpoint(region, torch.ones(2, 4, requires_grad=True), use_reentrant=False).sum().backward()

    assert observe(run).kind == error


def test_reentrant_has_no_early_stop() -> None:
    from torch.utils.checkpoint import checkpoint

    with loaded(page("TBR207").example) as bad:
        outcome = observe(step, lambda block, x: checkpoint(block, x, use_reentrant=True), bad.Block())
    assert outcome.error is None


@pytest.mark.parametrize(
    ("after", "error"), [("nothing", "AssertionError"), ("a product with a number", "AssertionError"), ("a layer", "")]
)
def test_the_last_round_of_a_loop(after: str, error: str) -> None:
    from torch.utils.checkpoint import checkpoint

    layers, spare = [torch.nn.Linear(4, 4) for _ in range(2)], torch.nn.Linear(4, 4)

    def region(x: Any) -> Any:
        for layer in layers:
            try:
                x = layer(x).sin()
            except Exception:
                x = spare(x).exp()
        return spare(x) if after == "a layer" else x * 2 if after != "nothing" else x

    def run() -> None:
        checkpoint(region, torch.ones(2, 4, requires_grad=True), use_reentrant=False).sum().backward()

    assert observe(run).kind == error
