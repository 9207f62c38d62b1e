"""TBR505: a computed tensor that two reentrant regions close over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, shortened, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


def step(source: str) -> Any:
    with loaded(source) as module:
        return observe(lambda: module.Tower()(rows(), rows()).sum().backward())


def test_example_runs_a_graph_twice() -> None:
    outcome = step(page("TBR505").example)
    tell("backward through both regions", shortened(outcome, " time"))
    assert outcome.kind == "RuntimeError"
    assert outcome.first_line.startswith("Trying to backward through the graph a second time")


def test_repair_passes_it_directly() -> None:
    assert step(page("TBR505").repair).error is None


@pytest.mark.parametrize(
    ("old", "new"), [("range(2)", "range(1)"), ("self.condition(style)", "self.condition(style).detach()")]
)
def test_one_region_or_no_graph_is_clean(old: str, new: str) -> None:
    assert step(page("TBR505").example.replace(old, new)).error is None
