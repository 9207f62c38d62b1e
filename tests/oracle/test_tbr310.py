"""TBR310: an export stops at a branch on a value, unless something decides it for the tracer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import Outcome, loaded, observe, page, require_torch, shortened, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

X = torch.linspace(0.1, 1.0, 4)

FORMS = """
import torch
from torch import nn


class Buffered(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("limit", torch.tensor(2.0))

    def forward(self, x):
        return x.sin() if self.limit > 1 else x


class Asserting(nn.Module):
    def forward(self, x):
        assert x.sum() > 0
        return x


class Raising(nn.Module):
    def forward(self, x):
        if x.isnan().any():
            raise ValueError("nan")
        return x


class Checked(nn.Module):
    def forward(self, x):
        torch._assert_async(x.isfinite().all(), "not finite")
        return x


class Empty(nn.Module):
    def forward(self, x):
        found = x.nonzero()
        return x if found.shape[0] == 0 else x.sin()


class Ranged(nn.Module):
    def forward(self, x):
        for _ in range(int(x.max())):
            x = x.sin()
        return x


class Promised(nn.Module):
    def forward(self, x):
        n = x.sum().item()
        torch._check(n > 0)
        return x.sin() if n > 0 else x.cos()


class Listed(nn.Module):
    def forward(self, x):
        for step in x.long().tolist():
            x = x + step
        return x
"""


def export(module: Any, **options: Any) -> Outcome:
    return observe(torch.export.export, module, (X,), **options)


def test_example_fails_and_repair_exports_the_same() -> None:
    with loaded(page("TBR310").example) as bad, loaded(page("TBR310").repair) as good:
        failed = observe(bad.export_clamped)
        tell("an export", shortened(failed, "expression"))
        tell("an export with `strict=True`", export(bad.Clamped(), strict=True))
        assert failed.kind == "GuardOnDataDependentSymNode"
        assert failed.first_line.startswith("Could not guard on data-dependent expression")
        assert export(bad.Clamped(), strict=True).first_line == "Data-dependent branching"
        program = good.export_clamped().module()
        for x in (X, X * float("inf")):
            assert torch.equal(program(x), bad.Clamped()(x))


@pytest.mark.parametrize("name", ["Buffered", "Asserting", "Raising", "Empty", "Ranged"])
def test_the_other_forms_fail_too(name: str) -> None:
    with loaded(FORMS) as forms:
        assert export(getattr(forms, name)()).kind == "GuardOnDataDependentSymNode"


@pytest.mark.parametrize(
    ("name", "strict"), [("Promised", False), ("Promised", True), ("Listed", False), ("Asserting", True)]
)
def test_what_the_rule_is_silent_on_exports(name: str, strict: bool) -> None:
    with loaded(FORMS) as forms:
        assert export(getattr(forms, name)(), strict=strict).error is None


def test_both_captures_of_the_onnx_exporter_fail_and_an_assert_passes_one() -> None:
    from torch.onnx._internal.exporter import _capture_strategies

    captured: dict[str, list[bool]] = {}
    with loaded(FORMS) as forms:
        for name in ("Buffered", "Asserting"):
            for capture in _capture_strategies.CAPTURE_STRATEGIES:
                strategy = capture(verbose=False, dump=False, artifacts_dir=".", timestamp="")
                result = strategy(getattr(forms, name)(), (X,), {}, None)
                captured.setdefault(name, []).append(result.success)
    assert captured == {"Buffered": [False, False], "Asserting": [False, True]}


@pytest.mark.parametrize("strict", [False, True])
def test_a_check_by_an_operation_is_exported(strict: bool) -> None:
    with loaded(FORMS) as forms:
        program = torch.export.export(forms.Checked(), (X,), strict=strict).module()
    assert observe(program, X).error is None
    assert observe(program, X / 0).first_line == "not finite"


def test_a_coin_is_tossed_once_while_the_export_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    import random

    class Coin(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.sin() if random.random() > 0.5 else x.cos()

    x = torch.ones(3)
    monkeypatch.setattr(random, "random", lambda: 0.9)
    program = torch.export.export(Coin(), (x,)).module()
    monkeypatch.setattr(random, "random", lambda: 0.1)
    assert torch.equal(program(x), x.sin())
