"""TBR401: the recompute runs after the kernel's scope has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Confidence
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle

META = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata "
    "than during the forward pass."
)
REPAIRS = ("inside_the_function", "backward_in_the_scope", "fresh_contexts")


def heads(dtype: Any = None) -> tuple[Any, Any, Any]:
    """Query, key and value, the same at each call."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 2, 64, 32).to(dtype or torch.float32).requires_grad_() for _ in range(3))
    return q, k, v


def query_gradient(step: Callable[..., None], dtype: Any = None) -> Any:
    """Run one step and return the query's gradient."""
    q, k, v = heads(dtype)
    step(q, k, v)
    return q.grad


def plain_step(q: Any, k: Any, v: Any) -> None:
    """The step under the math kernel without a checkpoint: what every variant should compute."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(SDPBackend.MATH):
        torch.nn.functional.scaled_dot_product_attention(q, k, v).square().sum().backward()


def test_example_raises_in_backward() -> None:
    with loaded(page("TBR401").example) as bad:
        outcome = observe(bad.step, *heads())
    tell("the non-reentrant variant", outcome)
    assert (outcome.kind, outcome.first_line) == ("CheckpointError", META)


@pytest.mark.parametrize(("dtype", "least"), [("float32", 1e-8), ("bfloat16", 1e-3)])
def test_reentrant_says_nothing_and_takes_the_other_kernel(dtype: str, least: float) -> None:
    with loaded(page("TBR401").example) as bad:
        outcome = observe(query_gradient, bad.reentrant_step, getattr(torch, dtype))
    expected = query_gradient(plain_step, getattr(torch, dtype))
    tell(f"the reentrant variant, {dtype}", silent(outcome, wrong_by(outcome.value, expected)))
    assert (outcome.error, outcome.warnings) == (None, [])
    assert (outcome.value - expected).abs().max() / expected.abs().max() > least


@pytest.mark.parametrize("repair", REPAIRS)
def test_repair_is_bit_equal(repair: str) -> None:
    with loaded(page("TBR401").repair) as good:
        assert torch.equal(query_gradient(getattr(good, repair)), query_gradient(plain_step))


def test_context_fn_is_good_for_one_backward_only() -> None:
    """The page's rank among the repairs: a second backward needs the context inside of the function."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.checkpoint import checkpoint

    def backward_twice(function: Callable[..., Any], **options: Any) -> None:
        out = checkpoint(function, *heads(), use_reentrant=False, **options).sum()
        out.backward(retain_graph=True)
        out.backward()

    def fresh() -> tuple[Any, Any]:
        return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)

    with loaded(page("TBR401").repair) as good:
        assert observe(backward_twice, good.math_attend).error is None
        outcome = observe(backward_twice, good.attend, context_fn=fresh)
    assert outcome.kind == "AttributeError"


def test_a_scope_that_names_the_default_kernel_is_clean() -> None:
    """The page's case to keep: on CPU torch chooses flash in any case."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.checkpoint import checkpoint

    def step(q: Any, k: Any, v: Any) -> None:
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            out = checkpoint(torch.nn.functional.scaled_dot_product_attention, q, k, v, use_reentrant=False)
        out.sum().backward()

    assert observe(step, *heads()).error is None


@pytest.mark.parametrize("restored", ["autocast", "rng"])
def test_what_checkpoint_restores_itself(restored: str) -> None:
    """Autocast and the random state need no scope around backward."""
    from torch.utils.checkpoint import checkpoint

    layer = torch.nn.Linear(8, 8)
    x = torch.randn(4, 8)

    def gradient(wrap: Callable[..., Any]) -> Any:
        layer.zero_grad()
        torch.manual_seed(0)
        if restored == "autocast":
            with torch.autocast("cpu", dtype=torch.bfloat16):
                out = wrap(layer)
        else:
            out = wrap(lambda y: torch.nn.functional.dropout(layer(y), 0.5))
        torch.manual_seed(1)
        out.float().square().sum().backward()
        return layer.weight.grad.clone()

    wanted = gradient(lambda function: function(x))
    assert torch.equal(gradient(lambda function: checkpoint(function, x, use_reentrant=False)), wanted)


@pytest.mark.parametrize(("again", "clean"), [("MATH", True), ("FLASH_ATTENTION", False)])
def test_backward_in_a_scope_that_chooses_the_same(again: str, clean: bool) -> None:
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.checkpoint import checkpoint

    def step(q: Any, k: Any, v: Any) -> None:
        with sdpa_kernel(SDPBackend.MATH):
            out = checkpoint(torch.nn.functional.scaled_dot_product_attention, q, k, v, use_reentrant=False)
        with sdpa_kernel(getattr(SDPBackend, again)):
            out.sum().backward()

    assert (observe(step, *heads()).error is None) == clean


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("attends", [False, True])
def test_only_attention_sees_the_scope(reentrant: bool, attends: bool) -> None:
    """A region that holds no attention is recomputed bit for bit, whichever kernel the scope had chosen."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.checkpoint import checkpoint

    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.GELU(), torch.nn.LayerNorm(32), torch.nn.Dropout())
    attention = torch.nn.functional.scaled_dot_product_attention

    def region(x: Any) -> Any:
        return attention(layers(x), x, x) if attends else layers(x)

    def gradients(inside: bool) -> list[Any]:
        x = heads()[0].detach().requires_grad_()
        layers.zero_grad()
        with sdpa_kernel(SDPBackend.MATH):
            out = checkpoint(region, x, use_reentrant=reentrant)
            if inside:
                out.square().sum().backward()
        if not inside:
            out.square().sum().backward()
        return [x.grad.clone(), *(p.grad.clone() for p in layers.parameters())]

    right, outcome = gradients(True), observe(gradients, False)
    same = outcome.error is None and all(map(torch.equal, outcome.value, right))
    assert same != attends


@pytest.mark.parametrize("backends", ["MATH", "FLASH_ATTENTION", "FLASH_ATTENTION MATH", "EFFICIENT_ATTENTION MATH"])
@pytest.mark.parametrize("other", ["", "MATH", "FLASH_ATTENTION", "MATH FLASH_ATTENTION"])
def test_scopes_that_allow_flash_agree_on_the_cpu(backends: str, other: str) -> None:
    """The recompute runs without a scope, or in another one: what is certain raises, what is likely does not here."""
    one, two = (f"[{', '.join(f'SDPBackend.{name}' for name in given.split())}]" for given in (backends, other))
    second = f"sdpa_kernel({two})" if other else "contextlib.nullcontext()"
    source = f"""
import contextlib

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


def around(x: torch.Tensor) -> None:
    with sdpa_kernel({one}):
        out = checkpoint(attend, x, use_reentrant=False)
    out.square().sum().backward()


def by_contexts(x: torch.Tensor) -> None:
    contexts = lambda: (sdpa_kernel({one}), {second})
    checkpoint(attend, x, use_reentrant=False, context_fn=contexts).square().sum().backward()
"""
    x = torch.linspace(-1.0, 1.0, 64).reshape(1, 2, 8, 4).requires_grad_()
    with loaded(source) as module:
        wrong = {n for n in ("around", "by_contexts") if observe(getattr(module, n), x).kind == "CheckpointError"}
    found = check_source(SourceFile("forms.py", source), Settings())
    certain = {item.code for item in found if item.confidence is Confidence.CERTAIN}
    assert ("TBR401" in certain) is ("around" in wrong)
    assert ("TBR404" in certain) is ("by_contexts" in wrong)
