"""TBR204: dropout whose mask the recompute draws anew."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle


def gradient(module: Any, run: Any) -> Any:
    torch.manual_seed(0)
    block = module.Block()
    torch.manual_seed(1)
    run(block, torch.ones(8, 16)).sum().backward()
    return block.fc.weight.grad


@pytest.mark.parametrize("reentrant", [False, True])
def test_example_gives_the_gradient_of_another_mask_without_a_word(reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    with loaded(page("TBR204").example) as bad:
        plain = gradient(bad, lambda block, x: block(x))

        def run(block: Any, x: Any) -> Any:
            return checkpoint(block, x.requires_grad_(), use_reentrant=reentrant, preserve_rng_state=False)

        outcome = observe(gradient, bad, run)
        shown = observe(gradient, bad, bad.run)
    variant = "reentrant" if reentrant else "non-reentrant"
    tell(f"the {variant} variant", silent(outcome, wrong_by(outcome.value, plain)))
    assert (outcome.error, outcome.warnings) == (None, [])
    assert not torch.allclose(outcome.value, plain)
    assert not torch.allclose(shown.value, plain)


def test_repair_gives_the_gradient_of_the_plain_call() -> None:
    with loaded(page("TBR204").repair) as good:
        assert torch.equal(gradient(good, good.run), gradient(good, lambda block, x: block(x)))


def test_an_explicit_generator_apart_only_what_draws_is_touched() -> None:
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    layer = nn.Linear(4, 4)
    grads = []
    for preserve in (True, False):
        layer.zero_grad()
        checkpoint(layer, torch.ones(2, 4), use_reentrant=False, preserve_rng_state=preserve).sum().backward()
        grads.append(layer.weight.grad.clone())
    assert torch.equal(*grads)
