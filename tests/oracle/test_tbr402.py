"""TBR402: a state that the recompute does not see."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


def gradient(step: Any) -> Any:
    """Run one step and return the input's gradient."""
    x = (rows(2) + 0.3).requires_grad_()
    step(x)
    return x.grad


def expected() -> Any:
    """What the forward under the scope computes: the gradient is the rounded weight."""
    return ((rows(2) + 0.3) * 8).round() / 8


def test_own_flag_is_silent_and_wrong() -> None:
    with loaded(page("TBR402").example) as bad:
        outcome = observe(gradient, bad.silent)
    tell("a flag of one's own", silent(outcome, wrong_by(outcome.value, expected())))
    assert (outcome.error, outcome.warnings) == (None, [])
    assert not torch.equal(outcome.value, expected())


def test_default_dtype_raises() -> None:
    with loaded(page("TBR402").example) as bad:
        outcome = observe(gradient, bad.raising)
    tell("the default dtype", outcome)
    assert outcome.kind == "CheckpointError"
    assert torch.get_default_dtype() == torch.float32


@pytest.mark.parametrize("repair", ["backward_inside", "inside_the_function", "entered_again"])
def test_repair_computes_the_forward_s_gradient(repair: str) -> None:
    with loaded(page("TBR402").repair) as good:
        assert torch.equal(gradient(getattr(good, repair)), expected())


def test_modes_that_change_an_operation_are_unseen_and_observers_harmless() -> None:
    from torch.overrides import TorchFunctionMode
    from torch.utils.checkpoint import checkpoint

    class Half(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return torch.full((2,), 0.5) if func is torch.ones else func(*args, **(kwargs or {}))

    class Watch(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    def step(mode: Any) -> Any:
        x = rows(2).requires_grad_()
        with mode:
            y = checkpoint(lambda h: h * torch.ones(2), x, use_reentrant=False)
        y.sum().backward()
        return x.grad

    assert torch.equal(step(Half()), torch.ones(2))
    assert torch.equal(step(Watch()), torch.ones(2))


@pytest.mark.parametrize("given", [False, True])
def test_home_made_recompute_under_the_default_autocast_dtype(given: bool) -> None:
    """Autocast entered without a dtype is bfloat16 on CPU, whatever the forward ran under."""
    seen = []

    class Recompute(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.dtype = torch.get_autocast_dtype("cpu")
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            with torch.autocast("cpu", enabled=True, **({"dtype": ctx.dtype} if given else {})):
                seen.append(torch.get_autocast_dtype("cpu"))
            return grad * 2

    with torch.autocast("cpu", dtype=torch.float16):
        y = Recompute.apply(rows().requires_grad_())
    y.sum().backward()
    assert seen == [torch.float16 if given else torch.bfloat16]


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("reentrant", [False, True])
def test_a_scope_without_saved_tensor_hooks_stops_the_forward(inside: bool, reentrant: bool) -> None:
    """Nothing waits for the backward here: the page says why no rule speaks of it."""

    def region(x: Any) -> Any:
        with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here") if inside else nullcontext():
            return x.sin()

    def forward() -> Any:
        with nullcontext() if inside else torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
            return torch.utils.checkpoint.checkpoint(region, rows().requires_grad_(), use_reentrant=reentrant)

    assert observe(forward).first_line == ("" if reentrant else "no hooks here")


@pytest.mark.parametrize(("made", "equal"), [("nothing", True), ("alike", True), ("constant", False)])
def test_only_what_takes_the_default_dtype_sees_it(made: str, equal: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    def region(x: Any) -> Any:
        if made == "nothing":
            return x.sin() * 2
        if made == "alike":
            return x.sin() * torch.ones(2, dtype=x.dtype) + x.new_zeros(2)
        return x.sin() * torch.ones(2)

    def step() -> Any:
        x = rows(2).requires_grad_()
        torch.set_default_dtype(torch.float64)
        try:
            y = checkpoint(region, x, use_reentrant=False)
        finally:
            torch.set_default_dtype(torch.float32)
        y.sum().backward()
        return x.grad

    outcome = observe(step)
    expected = rows(2).cos() * (2 if made == "nothing" else 1)
    assert (outcome.error is None and torch.equal(outcome.value, expected)) == equal
