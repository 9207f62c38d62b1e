"""TBR406: a `context_fn` that makes the checkpoint raise."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import nn
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, noop_context_fn

Pair = tuple[AbstractContextManager[None], AbstractContextManager[None]]
keep_matmuls = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
KEPT = create_selective_checkpoint_contexts([torch.ops.aten.mm.default])


def contexts() -> Pair:
    return nullcontext(), nullcontext()


def named(name: str) -> Pair:
    print(name)
    return nullcontext(), nullcontext()


def one() -> Any:
    return nullcontext()


def with_debug(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False, context_fn=keep_matmuls, debug=True)  # error: [TBR406]


def with_debug_by_default(block: nn.Module, x: torch.Tensor, debug: bool = True) -> torch.Tensor:
    return cp.checkpoint(block, x, use_reentrant=False, context_fn=contexts, debug=debug)  # error: [TBR406]


def a_pair(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False, context_fn=(nullcontext(), nullcontext()))  # error: [TBR406]


def called(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    h = checkpoint(block, x, use_reentrant=False, context_fn=KEPT)  # error: [TBR406]
    policy = create_selective_checkpoint_contexts([torch.ops.aten.mm.default])
    return checkpoint(block, h, use_reentrant=False, context_fn=policy)  # error: [TBR406]


def single(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    h = checkpoint(block, x, use_reentrant=False, context_fn=one)  # error: [TBR406]
    return checkpoint(block, h, use_reentrant=False, context_fn=lambda: nullcontext())  # error: [TBR406]


def unbound(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False, context_fn=named)  # error: [TBR406]


def packets(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    ops = [torch.ops.aten.mm, torch.ops.aten.addmm]
    policy = functools.partial(create_selective_checkpoint_contexts, ops)
    return checkpoint(block, x, use_reentrant=False, context_fn=policy)  # error: [TBR406]


# Rightly silent.


def without_debug(block: nn.Module, x: torch.Tensor, debug: bool = False) -> torch.Tensor:
    h = checkpoint(block, x, use_reentrant=False, context_fn=keep_matmuls)  # ok: [TBR406] no debug
    h = checkpoint(block, h, use_reentrant=False, context_fn=contexts, debug=debug)  # ok: [TBR406] off by default
    return checkpoint(block, h, use_reentrant=False, debug=True, context_fn=noop_context_fn)  # ok: [TBR406] the default


def bound(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    h = checkpoint(block, x, use_reentrant=False, context_fn=functools.partial(named, "a"))  # ok: [TBR406] bound
    return checkpoint(block, h, use_reentrant=False, context_fn=lambda: named("b"))  # ok: [TBR406] called inside


class Block(nn.Module):
    def contexts(self) -> Pair:
        return nullcontext(), nullcontext()

    def forward(self, x: torch.Tensor, context_fn: Any) -> torch.Tensor:
        x = checkpoint(torch.sin, x, use_reentrant=False, context_fn=self.contexts)  # ok: [TBR406] a bound method
        return checkpoint(torch.sin, x, use_reentrant=False, context_fn=context_fn)  # ok: [TBR406] unknown


def three() -> Any:
    return nullcontext(), nullcontext(), nullcontext()


def numbers(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False, context_fn=three)  # error: [TBR406] "ValueError"


def packets() -> Any:
    return create_selective_checkpoint_contexts([torch.ops.aten.mm])


def by_function(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False, context_fn=packets)  # error: [TBR406] "without its overload"


def classes(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    x = checkpoint(block, x, use_reentrant=False, context_fn=torch.no_grad)  # error: [TBR406] "two contexts"
    x = checkpoint(block, x, use_reentrant=False, context_fn=nullcontext)  # error: [TBR406] "two contexts"
    x = checkpoint(block, x, use_reentrant=False, context_fn=torch.autocast)  # error: [TBR406] "needs arguments"
    x = checkpoint(block, x, use_reentrant=False, context_fn=lambda: one())  # error: [TBR406] "two contexts"
    x = checkpoint(block, x, use_reentrant=False, context_fn=functools.partial(nullcontext))  # error: [TBR406]
    return checkpoint(block, x, use_reentrant=False, context_fn=nullcontext())  # error: [TBR406] "not a function"


def checked(block: nn.Module, x: torch.Tensor, how: str) -> torch.Tensor:
    x = checkpoint(block, x, use_reentrant=False, determinism_check="strict")  # error: [TBR406] "ValueError"
    x = checkpoint(block, x, use_reentrant=False, determinism_check="none")  # ok: [TBR406] torch knows it
    return checkpoint(block, x, use_reentrant=False, determinism_check=how)  # ok: [TBR406] not in view
