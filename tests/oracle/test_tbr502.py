"""TBR502: keyword arguments on a reentrant checkpoint."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

REFUSED = "Unexpected keyword arguments: scale"


def rows() -> Any:
    return torch.randn(2, 4, generator=torch.Generator().manual_seed(0))


def test_example_raises_at_the_call() -> None:
    with loaded(page("TBR502").example) as bad:
        outcome = observe(bad.run, bad.Block(), rows().requires_grad_())
    tell("the call", outcome)
    assert (outcome.kind, outcome.first_line) == ("ValueError", REFUSED)


def test_left_out_is_reentrant_too() -> None:
    from torch.utils.checkpoint import checkpoint

    outcome = observe(lambda: checkpoint(torch.add, rows().requires_grad_(), rows(), scale=2))
    assert (outcome.kind, outcome.first_line) == ("ValueError", REFUSED)


@pytest.mark.parametrize("name", ["run", "run_reentrant"])
def test_repair_computes_the_gradient(name: str) -> None:
    with loaded(page("TBR502").repair) as good:
        block = good.Block()
        block(rows(), scale=0.5).sum().backward()
        expected = block.fc.weight.grad.clone()
        block.zero_grad()
        outcome = observe(lambda: getattr(good, name)(block, rows()).sum().backward())
    assert (outcome.error, outcome.warnings) == (None, [])
    assert torch.equal(block.fc.weight.grad, expected)


@pytest.mark.parametrize(
    "option", [{"preserve_rng_state": False}, {"determinism_check": "none"}, {"early_stop": False}]
)
def test_arguments_of_the_checkpoint_itself_are_accepted(option: dict[str, Any]) -> None:
    from torch.utils.checkpoint import checkpoint

    outcome = observe(
        lambda: checkpoint(torch.sin, rows().requires_grad_(), use_reentrant=True, **option).sum().backward()
    )
    assert (outcome.error, outcome.warnings) == (None, [])


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("option", ["determinism_check", "context_fn", "debug", "early_stop"])
def test_checkpoint_sequential_has_none_of_the_options(option: str, reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint_sequential

    chain = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())
    x = rows().requires_grad_()
    outcome = observe(checkpoint_sequential, chain, 2, x, use_reentrant=reentrant, **{option: "none"})
    if option == "determinism_check":
        tell(f"`checkpoint_sequential` with `determinism_check`, use_reentrant={reentrant}", outcome)
    assert (outcome.kind, outcome.first_line) == ("ValueError", f"Unexpected keyword arguments: {option}")
