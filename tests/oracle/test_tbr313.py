"""TBR313: uncompiled flex_attention says itself what it does."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import Outcome, compiling, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

Q = torch.linspace(-1.0, 1.0, 16 * 8).reshape(1, 1, 16, 8)
UNFUSED = "flex_attention called without torch.compile() - this will use an unfused implementation"


def run(source: str, *given: Any) -> Outcome:
    # The warning is given once a process, and another test may have had it.
    getattr(importlib.import_module("torch.nn.attention.flex_attention"), "_WARNINGS_SHOWN", set()).clear()
    with compiling(source) as module:
        return observe(module.attend, *given)


def test_example_warns_and_repair_does_not() -> None:
    bad, good = run(page("TBR313").example, Q, Q, Q), run(page("TBR313").repair, Q, Q, Q)
    warned = [UNFUSED for text in bad.warnings if text.startswith(UNFUSED)]
    tell("a call outside compiled code", f"warns: {warned[0]}" if warned else "no error, no warning")
    assert any(text.startswith(UNFUSED) for text in bad.warnings)
    assert not any(text.startswith(UNFUSED) for text in good.warnings)
    assert torch.allclose(bad.value, good.value, atol=1e-6)


FORMS_HEAD = """
import functools

import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import flex_attention


"""
COMPILE = '@torch.compile(backend="eager")'
CALL = "flex_attention"
FORMS = {
    "plain": ("", "", CALL),
    "compiled": ('fast = torch.compile(flex_attention, backend="eager")', "", "fast"),
    "rebound": ('flex_attention = torch.compile(flex_attention, backend="eager")', "", CALL),
    "decorated": ("", COMPILE, CALL),
    "partial": ("run = functools.partial(flex_attention, scale=0.5)", "", "run"),
    "alias": ("attention = flex_attention", "", "attention"),
    "disabled": ("", "@torch.compiler.disable", CALL),
}
"""What stands before a function, the decorator over it, and what it calls."""


@pytest.mark.parametrize("form", FORMS)
def test_forms_that_warn_are_reported(form: str) -> None:
    before, decorator, called = FORMS[form]
    source = f"{FORMS_HEAD}{before}\n\n\n{decorator}\ndef attend(q: Tensor) -> Tensor:\n    return {called}(q, q, q)\n"
    warned = any(text.startswith(UNFUSED) for text in run(source, Q).warnings)
    assert bool(reported(source, "TBR313")) is warned
