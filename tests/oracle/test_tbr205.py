"""TBR205: state that a checkpointed region changes twice, or consumes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

COUNT = "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation."


def counted(module: Any) -> float:
    torch.manual_seed(0)
    router = module.Router()
    module.run(router, torch.ones(3, 4, requires_grad=True)).sum().backward()
    return float(router.tokens.sum())


def test_example_counts_every_token_twice_and_the_repair_once() -> None:
    with loaded(page("TBR205").example) as bad, loaded(page("TBR205").repair) as good:
        tell("one step of three tokens", f"{counted(bad):.0f} tokens counted")
        assert counted(bad) == 2 * counted(good) > 0


def test_example_exhausts_its_iterator() -> None:
    with loaded(page("TBR205").example) as bad, loaded(page("TBR205").repair) as good:
        layers = [torch.nn.Linear(4, 4) for _ in range(2)]

        def step(module: Any) -> None:
            module.drain(layers, torch.ones(2, 4, requires_grad=True)).sum().backward()

        outcome = observe(step, bad)
        tell("an iterator that the forward used up", outcome)
        assert (outcome.kind, outcome.first_line) == ("CheckpointError", COUNT)
        assert observe(step, good).error is None


@pytest.mark.parametrize(("reentrant", "runs"), [(False, 1), (True, 2)])
def test_what_follows_the_last_saved_tensor_runs_again_in_the_reentrant_variant_only(
    reentrant: bool, runs: int
) -> None:
    from torch.utils.checkpoint import checkpoint

    counts = {"before": 0, "after": 0}

    def region(x: Any) -> Any:
        counts["before"] += 1
        y = x.sin()
        counts["after"] += 1
        return y + 1

    checkpoint(region, torch.ones(2, requires_grad=True), use_reentrant=reentrant).sum().backward()
    assert counts == {"before": 2, "after": runs}


@pytest.mark.parametrize("reentrant", [False, True])
def test_an_argument_changed_in_place_runs_plain_and_raises_checkpointed(reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    layer = torch.nn.Linear(4, 4)

    def region(h: Any) -> Any:
        h += 1
        return layer(h).sin()

    def step(call: Any) -> None:
        call(torch.ones(2, 4, requires_grad=True) * 1.0).sum().backward()

    assert observe(step, region).error is None
    outcome = observe(step, lambda h: checkpoint(region, h, use_reentrant=reentrant))
    assert outcome.kind == "RuntimeError"


@pytest.mark.parametrize("reentrant", [False, True])
def test_state_that_is_read_and_then_stored_gives_a_wrong_gradient_in_silence(reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    def gradient(run: Any) -> Any:
        state = {"last": torch.ones(2)}

        def region(x: Any) -> Any:
            y = x.sin() * state["last"]
            state["last"] = x.detach() * 3
            return y.cos()

        x = torch.full((2,), 0.5, requires_grad=True)
        run(region, x).sum().backward()
        return x.grad

    plain = gradient(lambda region, x: region(x))
    outcome = observe(gradient, lambda region, x: checkpoint(region, x, use_reentrant=reentrant))
    assert outcome.error is None
    assert not torch.allclose(outcome.value, plain)


@pytest.mark.parametrize("reentrant", [False, True])
def test_any_change_in_place_of_an_argument_stops_the_step(reentrant: bool) -> None:
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    def indexed(x: Any) -> Any:
        x[0] = 0.0
        return x.sin()

    chain = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 3))
    for region in (indexed, chain, lambda x: x.relu_().sin()):
        x = torch.ones(2, 3, requires_grad=True) * 2
        with pytest.raises(RuntimeError, match=r"modified by an inplace operation|used in an in-place operation"):
            checkpoint(region, x, use_reentrant=reentrant).sum().backward()
