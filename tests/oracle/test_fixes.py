"""Fixes on real torch: the example of a page, fixed, does what the page's own repair does."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Applicability
from flake8_tensorbranch.fixes.rounds import fix
from flake8_tensorbranch.fixes.safety import applied
from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.rules import load
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.oracle.support import (
    Page,
    Told,
    graphs_of,
    loaded,
    observe,
    page,
    require_torch,
    section,
    telling,
)

torch = require_torch()
pytestmark = pytest.mark.oracle

# The tests of a page's repair that hold of its fixed example too, with the arguments they are given.
TESTS: list[tuple[str, str, tuple[Any, ...]]] = [
    ("TBR101", "test_compile_cuts_the_example_and_keeps_the_repair_whole", ()),
    ("TBR101", "test_trace_keeps_the_side_it_saw", ()),
    ("TBR201", "test_repair_survives_the_same_flip", ()),
    ("TBR201", "test_same_value_computed_without_a_flip", ()),
    ("TBR204", "test_repair_gives_the_gradient_of_the_plain_call", ()),
    ("TBR206", "test_repair_gives_the_gradients_of_the_plain_loop", ()),
    ("TBR304", "test_example_is_two_graphs_and_repair_one", ()),
    ("TBR304", "test_repair_computes_the_same", ()),
    ("TBR305", "test_example_has_no_graph_and_repair_has_one", ()),
    ("TBR310", "test_example_fails_and_repair_exports_the_same", ()),
    ("TBR311", "test_example_is_wrong_in_silence_and_repair_is_not", ()),
    ("TBR405", "test_repair_is_clean", ("with_policy",)),
    ("TBR502", "test_repair_computes_the_gradient", ("run",)),
    ("TBR503", "test_repair_is_differentiable", ()),
    ("TBR504", "test_repair_trains_the_region", ()),
    ("TBR505", "test_repair_passes_it_directly", ()),
    ("TBR506", "test_repair_does_not_warn_and_is_not_reentrant", ("run",)),
    ("TBR506", "test_repair_does_not_warn_and_is_not_reentrant", ("run_chain",)),
    ("TBR507", "test_repair_runs", ()),
    ("TBR508", "test_repair_is_clean", ()),
    ("TBR509", "test_repair_trains_the_gate", ()),
    ("TBR510", "test_repair_runs", ()),
    ("TBR511", "test_repair_runs", ()),
    ("TBR601", "test_the_repair_switches_the_benchmark_off", ()),
    ("TBR602", "test_without_it_the_operator_raises", ()),
]
# Held by the tests below, or shown and not applied.
OTHERS = {"TBR401", "TBR406", "TBR501"}


def fixed(code: str) -> str:
    """The example of a page with all fixes of its code applied, unsafe ones too."""
    return repaired(page(code).example, code)


def repaired(text: str, code: str) -> str:
    """A text with all fixes of a code applied."""
    source = SourceFile(f"{code}.py", text)
    made = fix(
        source,
        source.text,
        lambda changed: check_source(changed, Settings(enable=(code,))),
        lambda found: found.code == code and applied(found, unsafe_fixes=True),
    )
    assert sum(made.counts.values()) > 0
    assert not made.error
    return made.text


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize(
    ("code", "name", "arguments"), TESTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_as_the_repair(code: str, name: str, arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(f"tests.oracle.test_{code.lower()}")
    replaced = Page(code, page(code).example, fixed(code))
    monkeypatch.setattr(module, "page", lambda asked: replaced if asked == code else page(asked))
    test: Callable[..., None] = getattr(module, name)
    deterministic, benchmark = torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.benchmark
    try:
        with telling(Told(code, None)):  # what it tells is of the page's own repair
            test(*arguments)
    finally:
        torch.use_deterministic_algorithms(deterministic)
        torch.backends.cudnn.benchmark = benchmark


def test_the_region_is_reached() -> None:
    from tests.oracle.test_tbr501 import missing_gradients

    with loaded(fixed("TBR501")) as good:
        outcome = observe(missing_gradients, good.Draft())
    assert (outcome.error, outcome.value, outcome.warnings) == (None, set(), [])


def test_without_debug_the_call_is_clean() -> None:
    layer = torch.nn.Linear(4, 4)
    with loaded(fixed("TBR406")) as good:
        outcome = observe(lambda: good.with_debug(layer, torch.ones(2, 4)).sum().backward())
    assert (outcome.error, outcome.warnings) == (None, [])
    assert layer.weight.grad is not None


@pytest.mark.parametrize("value", ["(nullcontext(), nullcontext())", "create_selective_checkpoint_contexts([])"])
def test_a_context_fn_made_a_function_is_clean(value: str) -> None:
    text = "from contextlib import nullcontext\n"
    text += "from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts\n\n\n"
    text += "def run(layer, x):\n"
    text += f"    return checkpoint(layer, x, use_reentrant=False, context_fn={value})\n"
    layer = torch.nn.Linear(4, 4)
    with loaded(text) as bad, loaded(repaired(text, "TBR406")) as good:
        assert observe(bad.run, layer, torch.ones(2, 4)).kind == "TypeError"
        for _ in range(2):
            assert observe(lambda: good.run(layer, torch.ones(2, 4)).sum().backward()).error is None


@pytest.mark.parametrize("name", ["step", "reentrant_step"])
def test_the_kernel_is_that_of_the_forward(name: str) -> None:
    from tests.oracle.test_tbr401 import heads, plain_step, query_gradient

    with loaded(fixed("TBR401")) as good:
        assert torch.equal(query_gradient(getattr(good, name)), query_gradient(plain_step))
        q, k, v = heads()
        attend = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)(good.attend)
        out = torch.utils.checkpoint.checkpoint(attend, q, k, v, use_reentrant=False).sum()
        out.backward(retain_graph=True)
        assert observe(out.backward).error is None


def test_a_module_can_be_decorated_too() -> None:
    """The fix of a kernel's scope wraps whatever is checkpointed, modules as well."""
    layer = torch.nn.Linear(4, 4)
    x = torch.ones(2, 4, requires_grad=True)
    wrapped = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)(layer)
    torch.utils.checkpoint.checkpoint(wrapped, x, use_reentrant=False).sum().backward()
    expected = torch.autograd.grad(layer(x).sum(), layer.weight)[0]
    assert torch.equal(layer.weight.grad, expected)


def test_always_multiplying_by_a_cap_is_the_branch_bit_for_bit() -> None:
    """Output and gradient, also where the cap does not bind; one graph for all."""
    with loaded(page("TBR101").example) as bad, loaded(fixed("TBR101")) as good:
        for scale in (0.1, 1.0, 3.0):
            x = torch.randn(3, 4, generator=torch.Generator().manual_seed(0)) * scale
            one, two = x.clone().requires_grad_(), x.clone().requires_grad_()
            first, second = bad.NormCap()(one), good.NormCap()(two)
            first.sum().backward()
            second.sum().backward()
            assert torch.equal(first, second)
            assert torch.equal(one.grad, two.grad)  # type: ignore[arg-type]
        assert graphs_of(good.NormCap(), [(x,)], fullgraph=True) == 1


@pytest.mark.parametrize("value", [0.5, 1.0, 2.0])
def test_a_clamped_factor_is_the_branch(value: float) -> None:
    """`if s < 1: x = x * s` and `x * s.clamp(max=1)`: the value always, the gradient but for a factor of just 1."""

    def gradients(capped: Callable[[Any, Any], Any]) -> list[Any]:
        x, s = torch.tensor([2.0, -3.0], requires_grad=True), torch.tensor(value, requires_grad=True)
        capped(x, s).sum().backward()
        return [x.grad, torch.zeros(()) if s.grad is None else s.grad]

    branch = gradients(lambda x, s: x * s if s < 1 else x)
    always = gradients(lambda x, s: x * s.clamp(max=1))
    assert torch.equal(branch[0], always[0])
    assert torch.equal(branch[1], always[1]) is (value != 1.0)


def test_why_division_is_only_shown() -> None:
    """The quotient that is not taken still reaches the gradient."""
    x = torch.zeros(2, requires_grad=True)
    torch.where(x.norm() > 0, x / x.norm(), x).sum().backward()
    assert x.grad is not None
    assert x.grad.isnan().all()


def test_every_fix_is_held_against_torch() -> None:
    """All codes whose page's example carries a fix that is applied are in one of the tests above."""
    declared = {loaded_.code for loaded_ in load() if loaded_.rule.fix_availability != "none"}
    found = set()
    for code in declared:
        text = section(pages()[code].text, "Example")
        block = text.partition("```python\n")[2].partition("\n```")[0] + "\n"
        for item in check_source(SourceFile("p.md", block), Settings(enable=("TBR",))):
            if item.code == code and item.fix is not None and item.fix.applicability is not Applicability.DISPLAY:
                found.add(code)
    assert found == {code for code, _, _ in TESTS} | OTHERS
