"""TBR212: a backward that reads `ctx.saved_tensors` twice under a non-reentrant checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, shortened, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

FIXTURE = Path(__file__).resolve().parents[1] / "rules" / "tbr212.py"
ONCE = "already unpacked once"


def rows() -> Any:
    """The same small random tensor every time, which requires grad."""
    return torch.randn(2, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()


def test_example_raises_in_backward() -> None:
    with loaded(page("TBR212").example) as bad:
        outcome = observe(lambda: bad.run(rows(), rows()).sum().backward())
    tell("the backward", shortened(outcome, ONCE))
    assert outcome.kind == "CheckpointError"
    assert ONCE in outcome.first_line


def test_repair_gives_the_gradients_of_the_plain_call() -> None:
    with loaded(page("TBR212").repair) as good:
        pairs = [(x := rows(), w := rows(), run(x, w).sum().backward()) for run in (good.run, good.region)]
    assert torch.equal(pairs[0][0].grad, pairs[1][0].grad)
    assert torch.equal(pairs[0][1].grad, pairs[1][1].grad)


def test_the_reentrant_variant_does_without() -> None:
    source = page("TBR212").example.replace("use_reentrant=False", "use_reentrant=True")
    with loaded(source) as module:
        assert observe(lambda: module.run(rows(), rows()).sum().backward()).error is None


@pytest.mark.parametrize(
    ("name", "raises"),
    [
        *((name, True) for name in ("Twice", "Counted", "Nested", "Looped", "Asked", "Elsewhere")),
        *((name, False) for name in ("Once", "Either", "Kept")),
    ],
)
def test_the_forms_of_the_fixture(name: str, raises: bool) -> None:
    more: dict[str, tuple[Any, ...]] = {"Either": (rows(), True), "Kept": (2.0,)}
    with loaded(FIXTURE.read_text(encoding="utf-8")) as module:
        function = getattr(module, name)
        given = more.get(name, (rows(),))

        def region(x: Any) -> Any:
            return function.apply(x.sin(), *given).cos()

        checkpoint = torch.utils.checkpoint.checkpoint
        outcome = observe(lambda: checkpoint(region, rows(), use_reentrant=False).sum().backward())
        assert observe(lambda: region(rows()).sum().backward()).error is None
    assert (ONCE in outcome.first_line) is raises
