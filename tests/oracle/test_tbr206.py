"""TBR206: every recompute runs with the last value of the loop's variable."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle


def gradients(run: Any) -> list[Any]:
    torch.manual_seed(0)
    layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(3))
    run(layers, torch.ones(2, 4, requires_grad=True)).sum().backward()
    return [layer.weight.grad for layer in layers]


def plain(layers: Any, x: Any) -> Any:
    for layer in layers:
        x = torch.tanh(layer(x))
    return x


def test_example_gives_wrong_gradients_without_a_word() -> None:
    right = gradients(plain)
    with loaded(page("TBR206").example) as bad:
        outcome = observe(gradients, bad.run)
    tell("the first of three layers", silent(outcome, wrong_by(outcome.value[0], right[0])))
    assert (outcome.error, outcome.warnings) == (None, [])
    assert not torch.allclose(outcome.value[0], right[0])


def test_reentrant_leaves_all_but_the_last_layer_without_gradients() -> None:
    from torch.utils.checkpoint import checkpoint

    def run(layers: Any, x: Any) -> Any:
        for layer in layers:
            x = checkpoint(lambda h: torch.tanh(layer(h)), x, use_reentrant=True)  # noqa: B023
        return x

    outcome = observe(gradients, run)
    tell("the reentrant variant", silent(outcome, f"gradients: {[g is not None for g in outcome.value]}"))
    assert outcome.error is None
    assert [g is None for g in outcome.value] == [True, True, False]


def test_repair_gives_the_gradients_of_the_plain_loop() -> None:
    with loaded(page("TBR206").repair) as good:
        assert all(torch.equal(a, b) for a, b in zip(gradients(good.run), gradients(plain), strict=True))


def test_backward_in_the_same_round_is_right() -> None:
    from torch.utils.checkpoint import checkpoint

    def steps(run: Any) -> list[Any]:
        torch.manual_seed(0)
        layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(3))
        for layer in layers:
            run(lambda h: torch.tanh(layer(h)), torch.ones(2, 4)).sum().backward()  # noqa: B023
        return [layer.weight.grad for layer in layers]

    right = steps(lambda f, x: f(x))
    found = steps(lambda f, x: checkpoint(f, x, use_reentrant=False))
    assert all(torch.equal(a, b) for a, b in zip(right, found, strict=True))
