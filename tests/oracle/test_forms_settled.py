"""TBR103: what becomes of a number that a module read from a tensor when it was made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.support import graphs_compiled, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

X = torch.linspace(0.1, 1.0, 4)
ONES, ZEROS = torch.ones(2), torch.zeros(2)

# As text: see test_tbr304.
FORMS = """
import torch
from torch import nn


class Flag(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.register_buffer("mask", mask)
        self.full = bool((mask == 1).all())

    def forward(self, x):
        return x.sin() if self.full else x.cos()


class Count(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.kept = int(mask.sum())

    def forward(self, x):
        return x.sin() if self.kept > 3 else x.cos()


def run(modules, x):
    return [torch.compile(module, backend="eager", fullgraph=True)(x) for module in modules]
"""


def made(name: str, masks: list[Any]) -> Callable[[], list[Any]]:
    def action() -> list[Any]:
        with loaded(FORMS) as forms:
            return list(forms.run([getattr(forms, name)(mask) for mask in masks], X))

    return action


def test_a_flag_breaks_no_graph_and_is_guarded() -> None:
    assert graphs_compiled(made("Flag", [ONES, ONES, ONES])) == 1
    assert graphs_compiled(made("Flag", [ONES, ZEROS, ONES])) == 2


def test_an_int_makes_a_graph_for_each_value_up_to_the_limit() -> None:
    assert graphs_compiled(made("Count", [torch.ones(n) for n in range(5)])) == 5
    torch._dynamo.reset()
    failed = observe(made("Count", [torch.ones(n) for n in range(12)]))
    torch._dynamo.reset()
    assert failed.kind == "FailOnRecompileLimitHit"


def test_a_changed_flag_is_seen_by_compile_and_not_by_traces() -> None:
    with loaded(FORMS) as forms:
        module = forms.Flag(ONES)
        compiled = torch.compile(module, backend="eager")
        traced = observe(torch.jit.trace, module, (X,)).value
        exported = torch.export.export(module, (X,)).module()
        torch.testing.assert_close(compiled(X), X.sin())
        module.full = False
        torch.testing.assert_close(compiled(X), X.cos())
        torch.testing.assert_close(traced(X), X.sin())
        torch.testing.assert_close(exported(X), X.sin())
        torch._dynamo.reset()


def test_loading_a_state_leaves_the_flag_as_it_was() -> None:
    with loaded(FORMS) as forms:
        module = forms.Flag(ZEROS)
        module.load_state_dict(forms.Flag(ONES).state_dict())
        assert module.mask.all()
        assert not module.full


def test_a_module_that_reads_cannot_be_made_without_data() -> None:
    with loaded(FORMS) as forms, torch.device("meta"):
        assert observe(lambda: forms.Flag(torch.ones(2))).kind == "RuntimeError"
