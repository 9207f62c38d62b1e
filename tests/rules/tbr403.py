"""TBR403: a `context_fn` that hands out a context manager which was already entered, or will be entered again."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, noop_context_fn

Pair = tuple[AbstractContextManager[None], AbstractContextManager[None]]

FORWARD = sdpa_kernel(SDPBackend.MATH)
RECOMPUTE = sdpa_kernel(SDPBackend.MATH)
KEPT = create_selective_checkpoint_contexts([torch.ops.aten.bmm.default])


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


# One object for both passes: the recompute enters it a second time.


def one_object_in_a_lambda(x: torch.Tensor) -> torch.Tensor:
    scope = sdpa_kernel(SDPBackend.MATH)
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (scope, scope))  # error: [TBR403]


def same_local() -> Pair:
    scope = sdpa_kernel(SDPBackend.MATH)
    return scope, scope


def one_object_in_a_function(x: torch.Tensor) -> torch.Tensor:
    return cp.checkpoint(attend, x, use_reentrant=False, context_fn=same_local)  # error: [TBR403]


def one_object_repeated(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(  # error: [TBR403]
        attend, x, use_reentrant=False, context_fn=lambda: (sdpa_kernel(SDPBackend.MATH),) * 2
    )


def pair_of(scope: AbstractContextManager[None]) -> Pair:
    return scope, scope


def one_object_in_a_partial(x: torch.Tensor) -> torch.Tensor:
    contexts = functools.partial(pair_of, sdpa_kernel(SDPBackend.MATH))
    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts)  # error: [TBR403]


def contexts_of(scope: AbstractContextManager[None]) -> Callable[[], Pair]:
    return lambda: (scope, scope)


def one_object_through_a_factory(x: torch.Tensor) -> torch.Tensor:
    contexts = contexts_of(sdpa_kernel(SDPBackend.MATH))
    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts)  # error: [TBR403]


@contextmanager
def counted(name: str) -> Iterator[None]:
    print(name)
    yield


def own_generator_manager(x: torch.Tensor) -> torch.Tensor:
    scope = counted("attention")
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (scope, scope))  # error: [TBR403]


def own_random_scope(x: torch.Tensor) -> torch.Tensor:
    def contexts() -> Pair:
        fork = torch.random.fork_rng()
        return fork, fork

    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts)  # error: [TBR403]


# Two objects that outlive the call: its second run enters them again.


def built_with_the_module(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (FORWARD, RECOMPUTE))  # error: [TBR403]


def built_before_the_loop(batches: list[torch.Tensor]) -> None:
    first, second = sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)
    for x in batches:
        out = checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (first, second))  # error: [TBR403]
        out.sum().backward()


def made_pair() -> Pair:
    return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)


EARLY, LATE = made_pair()
BOTH = made_pair()


def unpacked_with_the_module(x: torch.Tensor) -> torch.Tensor:
    x = checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (EARLY, LATE))  # error: [TBR403]
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (BOTH[0], BOTH[1]))  # error: [TBR403]


def unpacked_in_each_call(x: torch.Tensor) -> torch.Tensor:
    def contexts() -> Pair:
        first, second = made_pair()
        return first, second

    x = checkpoint(attend, x, use_reentrant=False, context_fn=contexts)  # ok: [TBR403] built anew
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: made_pair())  # ok: [TBR403] built anew


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(16, 16)
        self.scopes = sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)

    def inner(self, x: torch.Tensor) -> torch.Tensor:
        return attend(self.fc(x))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.inner, x, use_reentrant=False, context_fn=lambda: self.scopes)  # error: [TBR403]


def scores(x: torch.Tensor) -> torch.Tensor:
    return torch.bmm(x, x.mT).tanh()


def policy_built_with_the_module(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(scores, x, use_reentrant=False, context_fn=lambda: KEPT)  # error: [TBR403]


# Rightly silent.


def two_fresh() -> Pair:
    return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)


keep_matmuls = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.bmm.default])


def fresh_each_time(x: torch.Tensor) -> None:
    for _ in range(2):
        out = checkpoint(attend, x, use_reentrant=False, context_fn=two_fresh)  # ok: [TBR403] two new objects a call
        out.sum().backward()
        out = checkpoint(scores, x, use_reentrant=False, context_fn=keep_matmuls)  # ok: [TBR403] built on demand
        out.sum().backward()


def fresh_of(backend: SDPBackend) -> Callable[[], Pair]:
    return lambda: (sdpa_kernel(backend), sdpa_kernel(backend))


def fresh_through_a_factory(batches: list[torch.Tensor]) -> None:
    contexts = fresh_of(SDPBackend.MATH)
    for x in batches:
        checkpoint(attend, x, use_reentrant=False, context_fn=contexts).sum().backward()  # ok: [TBR403] new each time


def reusable_managers(x: torch.Tensor) -> None:
    nothing, grad = nullcontext(), torch.enable_grad()
    mixed = torch.autocast("cpu", dtype=torch.bfloat16)
    stack = contextlib.ExitStack()
    for _ in range(2):
        out = checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (nothing, nothing))  # ok: [TBR403] reusable
        out = checkpoint(attend, out, use_reentrant=False, context_fn=lambda: (grad, grad))  # ok: [TBR403] reusable
        out = checkpoint(attend, out, use_reentrant=False, context_fn=lambda: (mixed, mixed))  # ok: [TBR403] reusable
        out = checkpoint(attend, out, use_reentrant=False, context_fn=lambda: (stack, stack))  # ok: [TBR403] reusable
        out.float().sum().backward()


class Reenterable:
    def __enter__(self) -> None:
        print("enter")

    def __exit__(self, *exc: object) -> None:
        print("exit")


def own_class(x: torch.Tensor) -> torch.Tensor:
    scope = Reenterable()
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (scope, scope))  # ok: [TBR403] reusable


def built_for_one_call(x: torch.Tensor) -> torch.Tensor:
    first, second = sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (first, second))  # ok: [TBR403] each used once


def nothing_known(x: torch.Tensor, contexts: Callable[[], Pair], scope: AbstractContextManager[None]) -> torch.Tensor:
    out = checkpoint(attend, x, use_reentrant=False, context_fn=contexts)  # ok: [TBR403] the caller's function
    out = checkpoint(attend, out, use_reentrant=False, context_fn=lambda: (scope, scope))  # ok: [TBR403] unknown
    return checkpoint(attend, out, use_reentrant=False, context_fn=noop_context_fn)  # ok: [TBR403] torch's own default


def save(function: Callable[..., torch.Tensor], x: torch.Tensor, context_fn: Callable[[], Pair]) -> torch.Tensor:
    forward, _ = context_fn()
    with forward:
        return function(x)


def not_a_checkpoint(x: torch.Tensor) -> torch.Tensor:
    scope = sdpa_kernel(SDPBackend.MATH)
    return save(attend, x, context_fn=lambda: (scope, scope))  # ok: [TBR403] this function enters one of them, once
