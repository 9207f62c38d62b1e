"""TBR403: a context manager for one `with` is entered twice."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, shortened, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

SPENT = "'_GeneratorContextManager' object has no attribute 'args'"


def query() -> Any:
    """A small query that requires grad."""
    return torch.randn(1, 2, 8, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()


def backward_with(context_fn: Callable[[], Any], times: int = 1) -> None:
    """Run a checkpointed region and its backward `times` times under `context_fn`."""
    from torch.utils.checkpoint import checkpoint

    for _ in range(times):
        checkpoint(lambda x: x.sin().cos(), query(), use_reentrant=False, context_fn=context_fn).sum().backward()


def test_same_object_fails_in_the_first_backward() -> None:
    with loaded(page("TBR403").example) as bad:
        outcome = observe(bad.one_step, query())
    tell("one object for both passes, the first backward", outcome)
    assert (outcome.kind, outcome.first_line) == ("AttributeError", SPENT)


def test_objects_built_outside_fail_at_the_second_step() -> None:
    with loaded(page("TBR403").example) as bad:
        first, second = observe(bad.each_step, query()), observe(bad.each_step, query())
    tell("two objects built outside, the second step", second)
    assert first.error is None
    assert (second.kind, second.first_line) == ("AttributeError", SPENT)


@pytest.mark.parametrize("step", ["one_step", "each_step"])
def test_repair_runs_any_number_of_steps(step: str) -> None:
    from torch.nn.attention import SDPBackend, sdpa_kernel

    expected = query()
    with sdpa_kernel(SDPBackend.MATH):
        torch.nn.functional.scaled_dot_product_attention(expected, expected, expected).sum().backward()
    with loaded(page("TBR403").repair) as good:
        for _ in range(3):
            q = query()
            getattr(good, step)(q)
            assert torch.equal(q.grad, expected.grad)


REENTERABLE: dict[str, Callable[[], Any]] = {
    "nullcontext": contextlib.nullcontext,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "enable_grad": torch.enable_grad,
}


@pytest.mark.parametrize("name", sorted(REENTERABLE))
def test_managers_that_can_be_entered_again_are_clean(name: str) -> None:
    manager = REENTERABLE[name]()
    assert observe(backward_with, lambda: (manager, manager), 2).error is None


@contextlib.contextmanager
def own_scope() -> Any:
    yield


SINGLE_USE: dict[str, Callable[[], Any]] = {"fork_rng": torch.random.fork_rng, "contextmanager": own_scope}


@pytest.mark.parametrize("name", sorted(SINGLE_USE))
def test_every_generator_manager_is_spent_by_its_first_use(name: str) -> None:
    manager = SINGLE_USE[name]()
    outcome = observe(backward_with, lambda: (manager, manager))
    assert (outcome.kind, outcome.first_line) == ("AttributeError", SPENT)


def test_selective_contexts_are_spent_by_one_backward() -> None:
    kept = torch.utils.checkpoint.create_selective_checkpoint_contexts([torch.ops.aten.sin.default])
    assert observe(backward_with, lambda: kept).error is None
    outcome = observe(backward_with, lambda: kept)
    tell("contexts of a selective policy, the second step", shortened(outcome, "."))
    assert outcome.kind == "RuntimeError"
    assert outcome.first_line.startswith("Trying to backward an extra time.")


def test_two_objects_for_a_single_call_work_once() -> None:
    """The page's case to keep."""
    pair = own_scope(), own_scope()
    assert observe(backward_with, lambda: pair).error is None
    assert observe(backward_with, lambda: pair).first_line == SPENT
