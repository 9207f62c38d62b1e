"""TBR404: two contexts that do not choose the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


def test_example_raises_in_backward() -> None:
    with loaded(page("TBR404").example) as bad:
        outcome = observe(bad.step, rows(1, 2, 8, 4).requires_grad_())
    tell("backward", outcome)
    assert outcome.kind == "CheckpointError"
    assert "different metadata" in outcome.first_line


def test_repair_is_clean() -> None:
    with loaded(page("TBR404").repair) as good:
        outcome = observe(good.step, rows(1, 2, 8, 4).requires_grad_())
    assert (outcome.error, outcome.warnings) == (None, [])


@pytest.mark.parametrize("outer", [False, True])
def test_nothing_for_the_forward_needs_an_outer_scope(outer: bool) -> None:
    from contextlib import nullcontext

    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.checkpoint import checkpoint

    def attend(x: Any) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(x, x, x)

    def step() -> None:
        with sdpa_kernel(SDPBackend.MATH) if outer else nullcontext():
            y = checkpoint(
                attend,
                rows(1, 2, 8, 4).requires_grad_(),
                use_reentrant=False,
                context_fn=lambda: (nullcontext(), sdpa_kernel(SDPBackend.MATH)),
            )
        y.sum().backward()

    assert observe(step).kind == ("" if outer else "CheckpointError")


@pytest.mark.parametrize(
    ("first", "second"), [("MATH", ["MATH"]), (["MATH", "FLASH_ATTENTION"], ["FLASH_ATTENTION", "MATH"])]
)
def test_the_same_backends_in_another_spelling(first: Any, second: Any) -> None:
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.checkpoint import checkpoint

    def scope(names: Any) -> Any:
        found = [getattr(SDPBackend, n) for n in (names if isinstance(names, list) else [names])]
        return sdpa_kernel(found if isinstance(names, list) else found[0])

    def step() -> Any:
        x = rows(1, 2, 8, 4).requires_grad_()
        y = checkpoint(
            lambda h: torch.nn.functional.scaled_dot_product_attention(h, h, h),
            x,
            use_reentrant=False,
            context_fn=lambda: (scope(first), scope(second)),
        )
        y.sum().backward()
        return x.grad

    assert observe(step).error is None
