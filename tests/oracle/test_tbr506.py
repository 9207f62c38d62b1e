"""TBR506: a checkpoint that does not say which variant it wants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.support import loaded, nodes_behind, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

EXPLICIT = "the use_reentrant parameter should be passed explicitly."
RUNS = ("run", "run_chain")


def chain() -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())


def names_behind(tensor: Any) -> set[str]:
    """Class names of the autograd nodes that lead to `tensor`."""
    return {type(node).__name__ for node in nodes_behind(tensor)}


def output(run: Callable[..., Any]) -> Any:
    return run(chain(), torch.ones(2, 4, requires_grad=True))


@pytest.mark.parametrize("name", RUNS)
def test_example_warns_and_is_reentrant(name: str) -> None:
    with loaded(page("TBR506").example) as bad:
        outcome = observe(output, getattr(bad, name))
    variant = "reentrant" if "CheckpointFunctionBackward" in names_behind(outcome.value) else "non-reentrant"
    warned = "warns" if any(EXPLICIT in text for text in outcome.warnings) else "no warning"
    tell("a chain" if name == "run_chain" else "a module", f"{warned}: {EXPLICIT} Runs {variant}")
    assert outcome.error is None
    assert [EXPLICIT in text for text in outcome.warnings] == [True]
    assert "CheckpointFunctionBackward" in names_behind(outcome.value)


@pytest.mark.parametrize("name", RUNS)
def test_repair_does_not_warn_and_is_not_reentrant(name: str) -> None:
    with loaded(page("TBR506").repair) as good:
        outcome = observe(output, getattr(good, name))
    assert (outcome.error, outcome.warnings) == (None, [])
    assert "CheckpointFunctionBackward" not in names_behind(outcome.value)
