"""How checkpoints are called: each form is reported if and only if torch raises or goes wrong with it."""

from __future__ import annotations

import pytest

from tests.oracle.agree import differs, raised, reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import contextlib
import functools

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint, checkpoint_sequential, create_selective_checkpoint_contexts

torch.manual_seed(2)
A = nn.Linear(4, 4)
B = nn.Linear(4, 4)
"""

# --- TBR503: where a partial backward goes ---------------------------------------------------------
PARTIAL = (
    HEAD
    + """
def by_input(x: Tensor) -> Tensor:
    y = checkpoint(A, x, use_reentrant=True)
    (force,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y * force


def by_weight(x: Tensor) -> Tensor:
    y = checkpoint(A, x, use_reentrant=True)
    y.sum().backward(inputs=[A.weight], retain_graph=True)
    return y * A.weight.grad.sum()


def by_both(x: Tensor) -> Tensor:
    y = checkpoint(A, x, use_reentrant=True)
    force, _ = torch.autograd.grad(B(y).sum(), [y, x], retain_graph=True)
    return y * force


def by_output(x: Tensor) -> Tensor:
    y = checkpoint(A, x, use_reentrant=True)
    (force,) = torch.autograd.grad(B(y).square().sum(), y, retain_graph=True)
    return y * force


def by_output_named(x: Tensor) -> Tensor:
    y = checkpoint(A, x, use_reentrant=True)
    z = B(y)
    (force,) = torch.autograd.grad(outputs=z.square().sum(), inputs=(z,), retain_graph=True)
    return y * force


def in_full(x: Tensor) -> Tensor:
    return B(checkpoint(A, x, use_reentrant=True))


def non_reentrant(x: Tensor) -> Tensor:
    y = checkpoint(A, x, use_reentrant=False)
    (force,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y * force
"""
)
PARTIALS = ["by_input", "by_weight", "by_both", "by_output", "by_output_named", "in_full", "non_reentrant"]


def test_partial_backwards() -> None:
    assert set(reported(PARTIAL, "TBR503")) == {name for name in PARTIALS if differs(PARTIAL, name)}


# --- TBR510: autograd inside -----------------------------------------------------------------------
INNER = (
    HEAD
    + """
def hooked(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        y = A(h)
        y.register_hook(lambda grad: grad * 2)
        return y.sin()

    return checkpoint(region, x, use_reentrant=True)


def kept(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        y = A(h)
        y.retain_grad()
        return y.sin()

    return checkpoint(region, x, use_reentrant=True)


def differentiated(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        y = A(h)
        (force,) = torch.autograd.grad(y.sum(), h, create_graph=True)
        return y * force

    return checkpoint(region, x, use_reentrant=True)


def asks_first(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        y = A(h)
        if y.requires_grad:
            y.register_hook(lambda grad: grad * 2)
        if torch.is_grad_enabled():
            y.retain_grad()
        return y.sin()

    return checkpoint(region, x, use_reentrant=True)


def switched_on(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        with torch.enable_grad():
            inner = h.detach().requires_grad_()
            (force,) = torch.autograd.grad(inner.square().sum(), inner)
        return A(h) * force

    return checkpoint(region, x, use_reentrant=True)


def of_a_weight(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        A.weight.register_hook(lambda grad: grad)
        return A(h).sin()

    return checkpoint(region, x, use_reentrant=True)


def non_reentrant(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        y = A(h)
        y.register_hook(lambda grad: grad * 2)
        return y.sin()

    return checkpoint(region, x, use_reentrant=False)
"""
)
INNERS = ["hooked", "kept", "differentiated", "asks_first", "switched_on", "of_a_weight", "non_reentrant"]


def test_autograd_inside_of_a_reentrant_region() -> None:
    raising = {name for name in INNERS if raised(INNER, name).error is not None}
    assert set(reported(INNER, "TBR510")) == raising


# --- TBR505: closures ------------------------------------------------------------------------------
SHARED = (
    HEAD
    + """
def twice(x: Tensor) -> Tensor:
    condition = B(x).tanh()

    def region(h: Tensor) -> Tensor:
        return A(h) * condition

    x = checkpoint(region, x, use_reentrant=True)
    return checkpoint(region, x, use_reentrant=True)


def in_a_loop(x: Tensor) -> Tensor:
    condition = B(x).tanh()
    for _ in range(2):
        x = checkpoint(lambda h: A(h) * condition, x, use_reentrant=True)
    return x


def used_after(x: Tensor) -> Tensor:
    condition = B(x).tanh()
    x = checkpoint(lambda h: A(h) * condition, x, use_reentrant=True)
    return x + condition


def once(x: Tensor) -> Tensor:
    condition = B(x).tanh()

    def region(h: Tensor) -> Tensor:
        return A(h) * condition

    return checkpoint(region, x, use_reentrant=True)


def handed(x: Tensor) -> Tensor:
    condition = B(x).tanh()

    def region(h: Tensor, scale: Tensor) -> Tensor:
        return A(h) * scale

    x = checkpoint(region, x, condition, use_reentrant=True)
    return checkpoint(region, x, condition, use_reentrant=True)


def non_reentrant(x: Tensor) -> Tensor:
    condition = B(x).tanh()

    def region(h: Tensor) -> Tensor:
        return A(h) * condition

    x = checkpoint(region, x, use_reentrant=False)
    return checkpoint(region, x, use_reentrant=False)
"""
)
SHARERS = ["twice", "in_a_loop", "used_after", "once", "handed", "non_reentrant"]


def test_closures_of_reentrant_regions() -> None:
    raising = {name for name in SHARERS if raised(SHARED, name).error is not None}
    assert set(reported(SHARED, "TBR505")) == raising


# --- TBR511: segments ------------------------------------------------------------------------------
@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("segments", [-3, -1, 0, 1, 2, 3, 7])
def test_segments(segments: int, reentrant: bool) -> None:
    source = HEAD + "\n\ndef run(x: Tensor) -> Tensor:\n"
    source += f"    return checkpoint_sequential(nn.Sequential(A, B), {segments}, x, use_reentrant={reentrant})\n"
    (message,) = reported(source, "TBR511").get("run", [""])
    outcome = raised(source, "run")
    assert ("raises" in message) is (outcome.error is not None)
    # One segment checkpoints nothing either: the last one never is.
    assert ("checkpoints nothing" in message) is (segments < 0)


def test_a_negative_number_of_segments_checkpoints_nothing() -> None:
    calls = []
    layer = torch.nn.Linear(4, 4)
    layer.register_forward_pre_hook(lambda *_: calls.append(1))
    for segments, runs in ((-1, 1), (2, 2)):
        calls.clear()
        chain = torch.nn.Sequential(layer, torch.nn.Linear(4, 4))
        x = torch.ones(2, 4, requires_grad=True)
        torch.utils.checkpoint.checkpoint_sequential(chain, segments, x, use_reentrant=False).sum().backward()
        assert len(calls) == runs


# --- TBR403, TBR406: what `context_fn` gives ------------------------------------------------------
CONTEXTS = {
    "two": "return contextlib.nullcontext(), contextlib.nullcontext()",
    "two in a list": "return [contextlib.nullcontext(), contextlib.nullcontext()]",
    "one": "return contextlib.nullcontext()",
    "three": "return contextlib.nullcontext(), contextlib.nullcontext(), contextlib.nullcontext()",
    "one kernel twice": "kernel = sdpa_kernel(SDPBackend.MATH)\n        return kernel, kernel",
    "two kernels": "return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)",
    "one nullcontext twice": "nothing = contextlib.nullcontext()\n        return nothing, nothing",
    "a policy by packets": "return create_selective_checkpoint_contexts([torch.ops.aten.mm])",
    "a policy": "return create_selective_checkpoint_contexts([torch.ops.aten.mm.default])",
}


@pytest.mark.parametrize("given", CONTEXTS)
def test_what_a_context_fn_gives(given: str) -> None:
    source = HEAD + "\n\ndef run(x: Tensor) -> Tensor:\n    def contexts():\n        " + CONTEXTS[given]
    source += "\n\n    return checkpoint(A, x, use_reentrant=False, context_fn=contexts)\n"
    malformed, reused = reported(source, "TBR406").get("run", []), reported(source, "TBR403").get("run", [])
    outcome = raised(source, "run")
    fits = outcome.kind == "AttributeError"  # a generator's context that is entered again
    assert bool(reused) is fits
    assert [outcome.kind in message for message in malformed] == [True] * (outcome.error is not None and not fits)
