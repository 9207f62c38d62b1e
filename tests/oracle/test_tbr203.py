"""TBR203: a coin that the recompute tosses anew."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle

COUNT = "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation."


def draws(seed: int) -> tuple[bool, bool]:
    source = random.Random(seed)
    return source.random() < 0.5, source.random() < 0.5


DEEP_THEN_SHALLOW = next(seed for seed in range(100) if draws(seed) == (True, False))
SAME_TWICE = next(seed for seed in range(100) if draws(seed) == (True, True))


def gradient(module: Any, seed: int, run: Any = None) -> Any:
    torch.manual_seed(0)
    layer = module.DropLayer()
    random.seed(seed)
    (run or module.run)(layer, torch.ones(2, 4, requires_grad=True)).backward()
    return layer.fc.weight.grad


def test_example_raises_when_the_coin_falls_the_other_way() -> None:
    with loaded(page("TBR203").example) as bad:
        outcome = observe(gradient, bad, DEEP_THEN_SHALLOW)
        tell("the coin falls the other way in the recompute", outcome)
        assert observe(gradient, bad, SAME_TWICE).error is None
    assert (outcome.kind, outcome.first_line) == ("CheckpointError", COUNT)


def test_reentrant_gives_the_wrong_gradient_without_a_word() -> None:
    from torch.utils.checkpoint import checkpoint

    with loaded(page("TBR203").example) as bad:
        right = gradient(bad, DEEP_THEN_SHALLOW, lambda layer, x: layer(x))
        outcome = observe(gradient, bad, DEEP_THEN_SHALLOW, lambda layer, x: checkpoint(layer, x, use_reentrant=True))
    tell("the same under the reentrant variant", silent(outcome, wrong_by(outcome.value, right)))
    assert (outcome.error, outcome.warnings) == (None, [])
    assert not torch.allclose(outcome.value, right)


def test_a_draw_that_is_only_a_factor_is_silent_in_both_kinds() -> None:
    from torch.utils.checkpoint import checkpoint

    def region(x: Any) -> Any:
        return (x * random.random()).sin()

    for reentrant in (False, True):
        random.seed(0)
        factor = random.random()
        random.seed(0)
        x = torch.ones(2, requires_grad=True)
        outcome = observe(lambda x=x, kind=reentrant: checkpoint(region, x, use_reentrant=kind).sum().backward())
        assert outcome.error is None
        assert not torch.allclose(x.grad, factor * torch.cos(torch.full((2,), factor)))


def test_repair_is_the_plain_call_for_every_coin() -> None:
    with loaded(page("TBR203").example) as bad, loaded(page("TBR203").repair) as good:
        for seed in (DEEP_THEN_SHALLOW, SAME_TWICE):
            plain = gradient(bad, seed, lambda layer, x: layer(x))
            assert torch.equal(gradient(good, seed), plain)


def test_a_generator_argument_is_not_replayed_but_the_default_one_is() -> None:
    from torch.utils.checkpoint import checkpoint

    def draws_of(generator: Any) -> list[float]:
        seen: list[float] = []

        def region(x: Any) -> Any:
            seen.append(float(torch.rand((), generator=generator)))
            return x.sin()

        checkpoint(region, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
        return seen

    own = draws_of(torch.Generator().manual_seed(0))
    default = draws_of(None)
    assert own[0] != own[1]
    assert default[0] == default[1]


def test_a_draw_that_picks_the_function_picks_anew() -> None:
    """The recompute runs another function than the forward in about half of the steps, and nothing says so."""

    from torch.utils.checkpoint import checkpoint

    ran: list[Any] = []

    def region(x: Any) -> Any:
        ran.append(random.choice([torch.sin, torch.cos]))
        return ran[-1](x)

    random.seed(0)
    for _ in range(30):
        checkpoint(region, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
    flips = sum(a is not b for a, b in zip(ran[::2], ran[1::2], strict=True))
    assert 5 < flips < 25
