"""TBR406: a context_fn that checkpoint cannot use."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


def block() -> Any:
    return torch.nn.Linear(4, 4)


def test_called_policy_is_a_tuple() -> None:
    with loaded(page("TBR406").example) as bad:
        outcome = observe(bad.called, block(), rows())
    tell("a policy that is called, not bound", outcome)
    assert (outcome.kind, outcome.first_line) == ("TypeError", "'tuple' object is not callable")


def test_debug_beside_it_is_refused() -> None:
    with loaded(page("TBR406").example) as bad:
        outcome = observe(bad.with_debug, block(), rows())
    tell("`debug=True` beside it", outcome)
    assert outcome.kind == "ValueError"
    assert outcome.first_line == "debug=True is incompatible with non-default context_fn"


@pytest.mark.parametrize("name", ["bound"])
def test_repair_runs(name: str) -> None:
    with loaded(page("TBR406").repair) as good:
        outcome = observe(lambda: getattr(good, name)(block(), rows()).sum().backward())
    assert outcome.error is None


def test_single_context_arguments_and_packets() -> None:
    import functools
    from contextlib import nullcontext

    from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

    def call(context_fn: Any) -> Any:
        return observe(lambda: checkpoint(block(), rows(), use_reentrant=False, context_fn=context_fn))

    assert call(nullcontext).kind == "TypeError"
    assert call(lambda name: (nullcontext(), nullcontext())).kind == "TypeError"
    packets = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm])
    assert call(packets).first_line.startswith("Expected op in `op_list` to be an OpOverload")


def test_repair_with_debug_is_accepted() -> None:
    """Only the call: the page of TBR405 runs a backward with `debug`, which torch can log once in a process."""
    with loaded(page("TBR406").repair) as good, torch.no_grad():
        assert observe(good.with_debug, block(), rows()).error is None
