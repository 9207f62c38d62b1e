"""TBR405: the reentrant checkpoint refuses `context_fn` and `debug`."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

REFUSED = "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
IMPLICIT = "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly."


def inputs() -> tuple[Any, Any]:
    """A block and an input that requires grad: everything but the arguments under test is right."""
    return torch.nn.Linear(4, 4), torch.randn(2, 4, requires_grad=True)


def two_contexts() -> tuple[Any, Any]:
    return contextlib.nullcontext(), contextlib.nullcontext()


def call(**options: Any) -> Any:
    """Checkpoint a block with `options` and run its backward."""
    from torch.utils.checkpoint import checkpoint

    block, x = inputs()
    checkpoint(block, x, **options).sum().backward()
    return block.weight.grad


def test_example_raises_with_a_policy() -> None:
    with loaded(page("TBR405").example) as bad:
        outcome = observe(bad.with_policy, *inputs())
    tell("a policy with `use_reentrant=True`", outcome)
    assert (outcome.kind, outcome.first_line, outcome.warnings) == ("ValueError", REFUSED, [])


def test_example_raises_with_debug_where_the_variant_is_left_out() -> None:
    with loaded(page("TBR405").example) as bad:
        outcome = observe(bad.with_debug, *inputs())
    tell("`debug=True` without `use_reentrant`", outcome)
    assert (outcome.kind, outcome.first_line) == ("ValueError", REFUSED)
    assert [text.startswith(IMPLICIT) for text in outcome.warnings] == [True]


@pytest.mark.parametrize("name", ["with_policy", "with_debug"])
def test_repair_is_clean(name: str) -> None:
    block, x = inputs()
    with loaded(page("TBR405").repair) as good:
        outcome = observe(lambda: getattr(good, name)(block, x).sum().backward())
    assert (outcome.error, outcome.warnings) == (None, [])
    assert block.weight.grad is not None


@pytest.mark.parametrize("options", [{"debug": None}, {"context_fn": None}, {"context_fn": two_contexts}])
def test_none_is_refused_too(options: dict[str, Any]) -> None:
    outcome = observe(call, use_reentrant=True, **options)
    (option,) = options
    tell(f"`{option}={'None' if options[option] is None else 'a function'}` with `use_reentrant=True`", outcome)
    assert outcome.first_line == REFUSED


def test_what_the_reentrant_checkpoint_ignores_or_accepts() -> None:
    from torch.utils.checkpoint import noop_context_fn

    accepted: list[dict[str, Any]] = [
        {"determinism_check": "none"},
        {"early_stop": False},
        {"debug": False},
        {"context_fn": noop_context_fn},
    ]
    for options in accepted:
        outcome = observe(call, use_reentrant=True, **options)
        assert (outcome.error, outcome.warnings) == (None, [])
        assert outcome.value is not None
