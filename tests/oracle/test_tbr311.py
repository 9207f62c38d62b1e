"""TBR311: a trace keeps the side that its example took; symbolic tracers refuse to read a value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

X = torch.ones(4)

FORMS = """
import torch


def sized(x):
    return x[:2] if x.shape[0] > 2 else x.cos()


def unrolled(x):
    total = x.sum()
    for i in range(x.size(0)):
        total = total + x[i]
    return total


def raising(x):
    if x.isnan().any():
        raise ValueError("nan")
    return x.sin()


def ranked(x):
    return x.sin() if x.dim() == 1 else x


@torch.jit.script
def scripted(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        x = x.sin()
    return x


def calls_scripted(x):
    return scripted(x) + 1
"""


def trace(function: Any) -> Any:
    return observe(torch.jit.trace, function, X, check_trace=False)


def test_example_is_wrong_in_silence_and_repair_is_not() -> None:
    with loaded(page("TBR311").example) as bad, loaded(page("TBR311").repair) as good:
        outcome = observe(bad.trace_signed)
        wrong = not torch.equal(outcome.value(-X), bad.signed(-X))
        warned = [text.partition(".")[0] for text in outcome.warnings if "might cause the trace" in text]
        tell(
            "traced with a positive sum, called with a negative",
            f"warns: {warned[0]}; the result is {'wrong' if wrong else 'right'}",
        )
        assert torch.equal(outcome.value(X), bad.signed(X))
        assert not torch.equal(outcome.value(-X), bad.signed(-X))
        assert any("Converting a tensor to a Python boolean" in text for text in outcome.warnings)
        traced = observe(good.trace_signed).value
        for x in (X, -X):
            assert torch.equal(traced(x), bad.signed(x))


def test_a_size_is_baked_in() -> None:
    with loaded(FORMS) as forms:
        other = torch.full((2,), 3.0)
        assert not torch.equal(trace(forms.sized).value(other), forms.sized(other))
        assert observe(trace(forms.unrolled).value, other).error is not None
        longer = torch.ones(6)
        assert not torch.equal(trace(forms.unrolled).value(longer), forms.unrolled(longer))


def test_checks_ranks_and_scripted_functions_keep_the_result_right() -> None:
    with loaded(FORMS) as forms:
        for x in (X, -X, torch.ones(2)):
            for function in (forms.raising, forms.ranked, forms.calls_scripted):
                assert torch.equal(trace(function).value(x), function(x))


def test_fx_refuses_value_and_size_and_make_fx_only_the_value() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    with loaded(FORMS) as forms, loaded(page("TBR311").example) as bad:
        for function in (forms.sized, forms.raising, bad.signed):
            refused = observe(torch.fx.symbolic_trace, function)
            tell(f"`fx.symbolic_trace` of `{function.__name__}`", refused)
            assert refused.first_line == "symbolically traced variables cannot be used as inputs to control flow"
        assert observe(make_fx(bad.signed), X).kind == "RuntimeError"
        graph = make_fx(forms.sized)(X)
        assert not torch.equal(graph(torch.ones(2)), forms.sized(torch.ones(2)))


def test_trace_module_and_the_old_onnx_exporter_trace_too(tmp_path: Path) -> None:
    class Sized(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x[:2] if x.shape[0] > 2 else x.cos()

    module = Sized()
    traced = observe(torch.jit.trace_module, module, {"forward": X}, check_trace=False).value
    assert not torch.equal(traced(torch.ones(2)), module(torch.ones(2)))
    # Where the package onnx is missing, the export fails after the trace.
    outcome = observe(torch.onnx.export, module, (X,), str(tmp_path / "model.onnx"), dynamo=False)
    assert any("Converting a tensor to a Python boolean" in text for text in outcome.warnings)
