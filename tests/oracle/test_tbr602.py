"""TBR602: an operator without a deterministic variant runs with a warning, or raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]


INDEX = torch.tensor([0, 0])
VALUES = torch.tensor([1.0, 2.0])


def test_warn_only_runs_the_operator() -> None:
    with loaded(page("TBR602").example) as module:
        outcome = observe(module.is_repeatable, INDEX, VALUES)
    warned = [text.partition(",")[0] for text in outcome.warnings]
    tell("the comparison runs", f"warns: {warned[0]}")
    assert isinstance(outcome.value, bool)
    assert any("does not have a deterministic implementation" in said for said in outcome.warnings)


def test_without_it_the_operator_raises() -> None:
    with loaded(page("TBR602").repair) as module:
        outcome = observe(module.is_repeatable, INDEX, VALUES)
    assert outcome.kind == "RuntimeError"
    assert "does not have a deterministic implementation" in outcome.first_line


def test_the_debug_mode_warn_is_the_same() -> None:
    torch.set_deterministic_debug_mode("warn")
    assert torch.is_deterministic_algorithms_warn_only_enabled()


MODES = [
    "torch.use_deterministic_algorithms(True, warn_only=True)",
    "torch.use_deterministic_algorithms(mode=True, warn_only=True)",
    "ONLY = True\ntorch.use_deterministic_algorithms(True, warn_only=ONLY)",
    'torch.set_deterministic_debug_mode("warn")',
    "torch.set_deterministic_debug_mode(1)",
    "torch.use_deterministic_algorithms(True)",
    "torch.use_deterministic_algorithms(True, warn_only=False)",
    "torch.use_deterministic_algorithms(False, warn_only=True)",
    'torch.set_deterministic_debug_mode("error")',
    "torch.set_deterministic_debug_mode(2)",
    "torch.use_deterministic_algorithms(True, warn_only=True)\ntorch.use_deterministic_algorithms(True)",
    "torch.use_deterministic_algorithms(True, warn_only=True)\ntorch.use_deterministic_algorithms(False)",
]


@pytest.mark.parametrize("mode", MODES)
def test_modes_that_only_warn_are_reported(mode: str) -> None:
    compared = "def same(a: torch.Tensor, b: torch.Tensor) -> bool:\n    return torch.equal(a, b)\n"
    source = f"import torch\n\n{mode}\n\n\n{compared}"
    with loaded(source):
        warns = torch.are_deterministic_algorithms_enabled() and torch.is_deterministic_algorithms_warn_only_enabled()
    assert bool(reported(source, "TBR602")) is warns
