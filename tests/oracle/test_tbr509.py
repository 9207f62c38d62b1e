"""TBR509: what is stored inside a reentrant checkpoint has no graph."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


def gate_gradient(source: str) -> Any:
    torch.manual_seed(0)
    with loaded(source) as module:
        router = module.Router()
        outcome = observe(module.step, torch.nn.Linear(4, 4), router, rows())
    assert (outcome.error, outcome.warnings) == (None, [])
    return router.gate.weight.grad


def test_example_loses_the_stored_loss() -> None:
    grad = gate_gradient(page("TBR509").example)
    lost = grad is None or not grad.any()
    tell("a loss stored in the region", f"no error: its gradient is {'lost' if lost else 'kept'}")
    assert lost


def test_repair_trains_the_gate() -> None:
    assert gate_gradient(page("TBR509").repair).any()


@pytest.mark.parametrize("reentrant", [True, False])
def test_the_other_variant_keeps_the_graph(reentrant: bool) -> None:
    grad = gate_gradient(page("TBR509").example.replace("use_reentrant=True", f"use_reentrant={reentrant}"))
    assert (grad is not None and bool(grad.any())) is not reentrant
