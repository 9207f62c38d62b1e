"""TBR510: the forward of a reentrant checkpoint records no graph."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


CALLS = {
    "h.register_hook(lambda g: g.clamp(-1, 1))": "cannot register a hook on a tensor that doesn't require gradient",
    "h.retain_grad()": "can't retain_grad on Tensor that has requires_grad=False",
    "torch.autograd.grad(h.sum(), x, retain_graph=True)": "element 0 of tensors does not require grad",
}


@pytest.mark.parametrize("call", CALLS)
def test_example_raises_in_forward(call: str) -> None:
    source = page("TBR510").example
    assert "h.register_hook(lambda g: g.clamp(-1, 1))" in source
    with loaded(source.replace("h.register_hook(lambda g: g.clamp(-1, 1))", call)) as bad:
        outcome = observe(lambda: bad.Net()(rows()).sum().backward())
    tell(f"`{call.partition('(')[0]}` in the region", outcome)
    assert outcome.kind == "RuntimeError"
    assert outcome.first_line.startswith(CALLS[call])


def test_repair_runs() -> None:
    with loaded(page("TBR510").repair) as good:
        assert observe(lambda: good.Net()(rows()).sum().backward()).error is None
