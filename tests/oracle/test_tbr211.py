"""TBR211: running statistics that move twice per step."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, page, require_torch, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle


def stepped(module: Any, run: Any) -> Any:
    torch.manual_seed(0)
    block = module.Block()
    run(block, torch.randn(3, 2, 4, 4, requires_grad=True)).sum().backward()
    return block


@pytest.mark.parametrize("reentrant", [False, True])
def test_example_counts_two_batches_per_step_with_the_right_gradient(reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    with loaded(page("TBR211").example) as bad:
        plain = stepped(bad, lambda block, x: block(x))
        block = stepped(bad, lambda block, x: checkpoint(block, x, use_reentrant=reentrant))
        variant = "reentrant" if reentrant else "non-reentrant"
        counted = f"{int(block.norm.num_batches_tracked)} batches counted"
        tell(f"one step, {variant}", f"{counted}, {wrong_by(block.conv.weight.grad, plain.conv.weight.grad)}")
        assert int(stepped(bad, bad.run).norm.num_batches_tracked) == 2
    assert (int(plain.norm.num_batches_tracked), int(block.norm.num_batches_tracked)) == (1, 2)
    assert not torch.equal(plain.norm.running_mean, block.norm.running_mean)
    assert torch.equal(plain.conv.weight.grad, block.conv.weight.grad)


def test_repair_has_no_statistics() -> None:
    with loaded(page("TBR211").repair) as good:
        assert list(stepped(good, good.run).buffers()) == []
