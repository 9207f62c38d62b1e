"""TBR404: a `context_fn` whose two contexts do not choose the same."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

Pair = tuple[AbstractContextManager[None], AbstractContextManager[None]]


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


def another_backend(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(  # error: [TBR404]
        attend,
        x,
        use_reentrant=False,
        context_fn=lambda: (sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.FLASH_ATTENTION)),
    )


def forward_only() -> Pair:
    return sdpa_kernel(SDPBackend.MATH), nullcontext()


def nothing_for_the_recompute(x: torch.Tensor) -> torch.Tensor:
    return cp.checkpoint(attend, x, use_reentrant=False, context_fn=forward_only)  # error: [TBR404]


def of(first: SDPBackend, second: SDPBackend) -> Pair:
    forward = sdpa_kernel(SDPBackend.MATH)
    recompute = sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION])
    print(first, second)
    return forward, recompute


def by_partial(x: torch.Tensor) -> torch.Tensor:
    contexts = functools.partial(of, SDPBackend.MATH, SDPBackend.MATH)
    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts)  # error: [TBR404]


# Rightly silent.


def both() -> Pair:
    return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)


def same(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=both)  # ok: [TBR404] the same choice twice


def in_an_outer_scope(x: torch.Tensor) -> None:
    with sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION]):
        # ok: [TBR404] the outer scope serves the forward
        y = checkpoint(
            attend,
            x,
            use_reentrant=False,
            context_fn=lambda: (nullcontext(), sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION])),
        )
    y.sum().backward()


def observed() -> Pair:
    return torch.autograd.profiler.record_function("forward"), torch.autograd.profiler.record_function("recompute")


def names(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=observed)  # ok: [TBR404] they only observe


def policy(x: torch.Tensor) -> torch.Tensor:
    contexts = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.bmm.default])
    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts)  # ok: [TBR404] torch builds the pair


def long_names(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(  # error: [TBR404] "...MATH]) for the forward but ...EFFICIENT_ATTENTION])"
        attend,
        x,
        use_reentrant=False,
        context_fn=lambda: (
            sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.MATH]),
            sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION]),
        ),
    )


# Autocast and grad mode.
linear = torch.nn.Linear(4, 4)


def project(x: torch.Tensor) -> torch.Tensor:
    return linear(x).sin()


def waves(x: torch.Tensor) -> torch.Tensor:
    return x.sin() * 2


def lower() -> AbstractContextManager[None]:
    return torch.autocast("cpu", dtype=torch.bfloat16)


def half_way() -> Pair:
    return lower(), torch.autocast("cpu", enabled=False)


def other_precision(x: torch.Tensor) -> torch.Tensor:
    x = checkpoint(project, x, use_reentrant=False, context_fn=half_way)  # error: [TBR404] "autocast('cpu', enabled=False)"
    x = checkpoint(project, x, use_reentrant=False, context_fn=lambda: (nullcontext(), lower()))  # error: [TBR404]
    x = checkpoint(waves, x, use_reentrant=False, context_fn=half_way)  # ok: [TBR404] autocast changes none of it
    return checkpoint(project, x, use_reentrant=False, context_fn=lambda: (lower(), lower()))  # ok: [TBR404] the same


def observing() -> Pair:
    return nullcontext(), torch.no_grad()


def no_gradients(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(waves, x, use_reentrant=False, context_fn=observing)  # error: [TBR404] "torch.no_grad()"


def switched_off() -> Pair:
    return torch.autocast("cpu", enabled=False), nullcontext()


def off(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(project, x, use_reentrant=False, context_fn=switched_off)  # ok: [TBR404] off on both sides
