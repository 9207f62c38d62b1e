"""TBR405: `context_fn` or `debug` for a checkpoint that is reentrant, explicitly or because nothing else is said."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
import torch.utils.checkpoint
from torch import nn
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint as ckpt
from torch.utils.checkpoint import create_selective_checkpoint_contexts, noop_context_fn

REENTRANT = True
keep_matmuls = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
reentrant_ckpt = functools.partial(ckpt, use_reentrant=True)
other_ckpt = functools.partial(ckpt, use_reentrant=False)


def contexts() -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
    return nullcontext(), nullcontext()


def spelled_out(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return ckpt(block, x, use_reentrant=True, context_fn=contexts)  # error: [TBR405]


def through_the_module(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    h = cp.checkpoint(block, x, use_reentrant=True, debug=True)  # error: [TBR405]
    return torch.utils.checkpoint.checkpoint(block, h, use_reentrant=True, context_fn=keep_matmuls)  # error: [TBR405]


def left_out(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    h = ckpt(block, x, context_fn=lambda: (nullcontext(), nullcontext()))  # error: [TBR405]  # error: [TBR506]
    return ckpt(block, h, debug=True)  # error: [TBR405]  # error: [TBR506]


def none_is_not_the_default(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    h = ckpt(block, x, use_reentrant=True, context_fn=None)  # error: [TBR405]
    return ckpt(block, h, use_reentrant=True, debug=None)  # error: [TBR405]


def by_constant(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return ckpt(block, x, use_reentrant=REENTRANT, context_fn=contexts)  # error: [TBR405]


def by_partial(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return reentrant_ckpt(block, x, context_fn=contexts)  # error: [TBR405]


def by_dictionary(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    options = {"use_reentrant": True, "debug": True}
    return ckpt(block, x, **options)  # error: [TBR405]


class Stack(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        self._ckpt = functools.partial(ckpt, use_reentrant=True, context_fn=keep_matmuls)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = self._ckpt(block, x)  # error: [TBR405]
        return x


def run(block: nn.Module, x: torch.Tensor, reentrant: bool) -> torch.Tensor:
    return ckpt(block, x, use_reentrant=reentrant, context_fn=contexts)  # error: [TBR405]


def across_a_call(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return run(block, x, True)


# Rightly silent.


def not_reentrant(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    h = ckpt(block, x, use_reentrant=False, context_fn=contexts)  # ok: [TBR405] this variant supports it
    h = other_ckpt(block, h, debug=True)  # ok: [TBR405] the partial says False
    return cp.checkpoint(block, h, use_reentrant=False, context_fn=keep_matmuls)  # ok: [TBR405] supported here


def defaults_spelled_out(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    h = ckpt(block, x, use_reentrant=True, context_fn=noop_context_fn)  # ok: [TBR405] the default itself is accepted
    return ckpt(block, h, use_reentrant=True, debug=False)  # ok: [TBR405] the default itself is accepted


def ignored_arguments(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    h = ckpt(block, x, use_reentrant=True, determinism_check="none")  # ok: [TBR405] ignored without a word
    return ckpt(block, h, use_reentrant=True, early_stop=False)  # ok: [TBR405] ignored without a word


def helper(block: nn.Module, x: torch.Tensor, reentrant: bool) -> torch.Tensor:
    return ckpt(block, x, use_reentrant=reentrant, context_fn=contexts)  # ok: [TBR405] its only caller says False


def across_a_call_rightly(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return helper(block, x, False)


def nothing_known(block: nn.Module, x: torch.Tensor, options: dict[str, Any], reentrant: bool) -> torch.Tensor:
    h = ckpt(block, x, use_reentrant=reentrant, context_fn=contexts)  # ok: [TBR405] the caller's choice
    return ckpt(block, h, use_reentrant=True, **options)  # ok: [TBR405] what it holds is unknown


def checkpoint(block: nn.Module, x: torch.Tensor, use_reentrant: bool, debug: bool) -> torch.Tensor:
    print(use_reentrant, debug)
    return block(x)


def another_checkpoint(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=True, debug=True)  # ok: [TBR405] a function of this file


def chosen(block: nn.Module, x: torch.Tensor, selective: bool) -> torch.Tensor:
    given = contexts if selective else noop_context_fn
    x = ckpt(block, x, use_reentrant=not selective, context_fn=given)  # ok: [TBR405] the variant is chosen, too
    return ckpt(block, x, use_reentrant=True, context_fn=given)  # error: [TBR405]
