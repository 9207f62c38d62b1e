"""TBR313: uncompiled flex_attention says itself what it does."""

from __future__ import annotations

import importlib

import pytest

from tests.oracle.support import Outcome, loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

Q = torch.linspace(-1.0, 1.0, 16 * 8).reshape(1, 1, 16, 8)
UNFUSED = "flex_attention called without torch.compile() - this will use an unfused implementation"


def run(source: str) -> Outcome:
    # The warning is given once a process, and another test may have had it.
    getattr(importlib.import_module("torch.nn.attention.flex_attention"), "_WARNINGS_SHOWN", set()).clear()
    torch._dynamo.reset()
    with loaded(source) as module:
        outcome = observe(module.attend, Q, Q, Q)
    torch._dynamo.reset()
    return outcome


def test_example_warns_and_repair_does_not() -> None:
    bad, good = run(page("TBR313").example), run(page("TBR313").repair)
    warned = [UNFUSED for text in bad.warnings if text.startswith(UNFUSED)]
    tell("a call outside compiled code", f"warns: {warned[0]}" if warned else "no error, no warning")
    assert any(text.startswith(UNFUSED) for text in bad.warnings)
    assert not any(text.startswith(UNFUSED) for text in good.warnings)
    assert torch.allclose(bad.value, good.value, atol=1e-6)
