"""TBR602: an operator without a deterministic variant runs with a warning, or raises."""

from __future__ import annotations

import pytest

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
